import { spawnSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'

/** The shell has no windows of its own, and needs two thirds of the time. */
const programs = process.env.CHROMIUM
  ? [process.env.CHROMIUM]
  : ['chromium-headless-shell', 'chromium']
const program = programs.join(' or ')
const pathOf = (name: string) =>
  spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim()
const executablePath = programs.map(pathOf).find((path) => path !== '') ?? ''

/** Why tests of the pages are skipped; false where there is a browser, and where one is required. */
export const noChromium =
  executablePath === '' && process.env.CI !== 'true'
    ? 'no Chromium: apt-get install chromium, or name one in CHROMIUM'
    : false

/** Starts the browser, with more arguments if given; rejects where there is none. */
export function openChromium(more: readonly string[] = []): Promise<Browser> {
  if (executablePath === '')
    throw new Error(`expected a browser: ${program} is not there, and CI=true requires it`)
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...more] })
}
