import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { axeOf } from './axe.ts'
import { keepScreenshot } from './screenshots.ts'

const widths = [320, 768, 1440]

/**
 * Asserts of a page, in both themes and three widths, that axe finds nothing and nothing is wider than the screen. The
 * page is of a context with `bypassCSP`.
 */
export async function assertLooks(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await keepScreenshot(page, `${name}-${width}-${colorScheme}`)
      const beyond = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.ok(beyond <= 0, `${name} at ${width} px is wider than the screen by ${beyond} px`)
      assert.deepEqual(await axeOf(page), [], `${name} at ${width} px, ${colorScheme}`)
    }
  }
}
