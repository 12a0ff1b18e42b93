import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { letPass, settle } from './case-steps.ts'
import { describePortal } from './suite.ts'

/** Values that a document may hold, nested to the most levels that are taken. */
function nested(levels: number): unknown {
  let value: unknown = 'the end'
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}

const documents: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'a text of almost 1 MiB': { action: 'pay', text: 'lorem ipsum '.repeat(80_000) },
  'a text of 600,000 hidden characters': { action: 'pay', text: 'a\u200b'.repeat(200_000) },
  'a list of 9,900 items': { action: Array.from({ length: 9_900 }, (_, item) => item) },
  // The request and the document are two of them.
  'as many levels as a request may have': { action: nested(62) },
  'markup, links and control characters': {
    action: '<img src=x onerror="window.ran=1"><a href="javascript:window.ran=1">x</a>',
    '<script>window.ran=1</script>': '[a](javascript:window.ran=1) \u001b[31m',
    title: '\u202eevil\u2066',
  },
  'names of the language itself': {
    action: null,
    valueOf: { hasOwnProperty: [] },
    toString: 1,
    '': '',
    before: [1, { a: 2 }],
    after: 'text',
  },
}

describePortal('a hostile document', (suite) => {
  const { pageAs } = suite
  let opened = 0

  for (const [name, document] of Object.entries(documents))
    it(`of ${name} is drawn whole, and its digest is that of the service`, async () => {
      const reviewCaseId = await suite.stage.openCase(document, {
        checkpointId: `hostile-${opened++}`,
      })
      unwrap(await suite.stage.service.reviewCases.claim(suite.stage.admin, { reviewCaseId }))
      const page = await pageAs('admin', { path: `/cases/${reviewCaseId}` })
      await page.getByText('matches the case').waitFor({ timeout: 60_000 })
      await page.getByRole('form', { name: 'Decision' }).waitFor()
      for (const button of await page.getByRole('button', { name: /^Show all/ }).all())
        await button.click()
      await settle(page)
      for (let part = 0; part < 9; part++) {
        await page.keyboard.press('j')
        await letPass(page, 300)
      }
      // What is long has to be scrolled to its end, which is farther off the more of it is drawn.
      const approve = page.getByRole('radio', { name: /Approve/, disabled: false })
      for (let screen = 0; screen < 30 && !(await approve.isVisible()); screen++) {
        await page.keyboard.press('End')
        await letPass(page, 300)
      }
      await approve.waitFor()
      assert.equal(await page.evaluate('window.ran'), undefined)
      assert.equal(
        await page.evaluate('document.querySelectorAll(".signed :is(img, a, script)").length'),
        0,
      )
      const drawn = String(await page.locator('.signed').textContent())
      assert.doesNotMatch(drawn, /(?![ \t\n])[\p{Cc}\p{Cf}]/u)
    })
})
