import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Asserts that nothing of a page holds a secret any more: elements and fields, storage, history, address, title. */
export async function assertGone(page: Page, secret: string): Promise<void> {
  const held = await page.evaluate(`(async () => JSON.stringify([
    document.documentElement.outerHTML,
    [...document.querySelectorAll('input, textarea')].map(({ value }) => value),
    { ...localStorage }, { ...sessionStorage }, history.state, location.href, document.title,
    await indexedDB.databases(), await caches.keys(), document.cookie,
  ]))()`)
  assert.ok(secret.length > 8)
  assert.ok(!String(held).includes(secret), 'the page still holds the secret')
}
