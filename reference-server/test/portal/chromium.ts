import { spawnSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'

const program = process.env.CHROMIUM ?? 'chromium'
const found = spawnSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' })
const executablePath = found.stdout.trim()

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
