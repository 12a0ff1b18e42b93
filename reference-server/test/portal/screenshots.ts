import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Where pictures of pages are kept; none are taken without it. */
const folder = process.env.PORTAL_SCREENSHOTS

/** Keeps a picture of the whole page, or of what the window shows of it, as `name.png`. */
export async function keepScreenshot(page: Page, name: string, fullPage = true): Promise<void> {
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage })
}
