import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { axeOf } from './axe.ts'
import { keepScreenshot } from './screenshots.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env

/** How a page is looked at. */
export interface Look {
  readonly name: string
  /** Of the window, px. */
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

const themes = ['light', 'dark'] as const
const widths = [320, 768, 1440]

/** Three widths and both themes: all six looks where whole proofs are run, else a width of each theme, drawn by the seed. */
export function looksOf(name: string): readonly Look[] {
  const digest = createHash('sha256').update(`${seed} ${name}`).digest()
  const light = digest.readUInt8(0) % 3
  const dark = (light + 1 + (digest.readUInt8(1) % 2)) % 3
  return widths.flatMap((width, at) =>
    themes
      .filter((theme) => whole || at === { light, dark }[theme])
      .map((colorScheme) => ({ name: `${width}-${colorScheme}`, width, colorScheme })),
  )
}

/**
 * Asserts of a page, in its looks, that axe finds nothing and nothing is wider than the screen. The page is of a
 * context with `bypassCSP`.
 */
export async function assertLooks(page: Page, name: string): Promise<void> {
  for (const look of looksOf(name)) {
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await page.setViewportSize({ width: look.width, height: 900 })
    await keepScreenshot(page, `${name}-${look.name}`)
    const beyond = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    assert.ok(beyond <= 0, `${name} at ${look.name} is wider than the screen by ${beyond} px`)
    assert.deepEqual(await axeOf(page), [], `${name} at ${look.name}`)
  }
}
