import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  beReady,
  casesOf,
  choose,
  letPass,
  openOnClock,
  refund,
  seeAll,
  settle,
  stopClock,
} from './case-steps.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('the page of a case', (suite) => {
  const { pageAs } = suite
  const { open, read, claimed, pathOf } = casesOf(suite)

  it('is decided by the keyboard alone, from the login to what is signed', async () => {
    const reviewCaseId = await open()
    const page = await pageAs(null, { path: '/queue' })
    await page.getByLabel('E-mail address').focus()
    await page.keyboard.type('reviewer@acme.example')
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Refund as agreed' }).waitFor()
    await page.keyboard.press('n')
    await beReady(page)
    assert.equal(new URL(page.url()).pathname, `/cases/${reviewCaseId}`)
    await seeAll(page)
    await page.keyboard.press('a')
    await page.getByText('Final; the application is told within seconds.').waitFor()
    // Letters after the key are the comment, not other choices.
    await page.keyboard.type('frames fit')
    assert.equal(await page.getByLabel('Comment').inputValue(), 'frames fit')
    await page.keyboard.press('Enter')
    assert.equal((await read(reviewCaseId)).state, 'open')
    assert.ok(await page.getByRole('radio', { name: /Approve/ }).isChecked())
    await settle(page)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    const decided = await read(reviewCaseId)
    assert.equal(decided.decision, 'approved')
    assert.equal(decided.decidedBy, suite.stage.members.reviewer.memberId)
    const admin = await suite.stage.clientOf('admin')
    const { all } = await admin.portal.readStatistics()
    assert.equal(all.viewed, 1)
    // Each part was in view for 300 ms at least before the next key.
    assert.ok((all.medianViewedMs ?? 0) >= 1_800, `${all.medianViewedMs} ms in view`)
  })

  it('looks right before, while and after it is decided', async () => {
    const page = await pageAs('reviewer', pathOf(await open(refund, { reviewTier: 'high' })))
    await page.getByRole('button', { name: 'Claim' }).waitFor()
    await assertLooks(page, 'case-unassigned')
    await page.getByRole('button', { name: 'Claim' }).click()
    await beReady(page)
    await choose(page, /Reject/)
    await assertLooks(page, 'case-form')
    await page.getByLabel('Comment').fill('Not agreed at all.')
    await page.getByRole('button', { name: 'Send the rejection' }).click()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    await assertLooks(page, 'case-decided')
    const decided = page.url()
    const next = await open({ title: 'Next', action: 'wait' }, { reviewTier: 'urgent' })
    await page.keyboard.press('n')
    await page.getByRole('heading', { level: 1, name: 'wait' }).waitFor()
    assert.equal((await read(next)).assignment?.reviewerId, suite.stage.members.reviewer.memberId)
    await page.goto(decided)
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Claim next due' }).count(), 0)
    await page.goto('/queue?state=decided')
    await page.getByRole('cell', { name: 'Rejected' }).waitFor()
  })

  it('lets nobody approve before every part was in view, and refuse at any time', async () => {
    const log = Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n')
    const page = await pageAs('reviewer', pathOf(await claimed({ ...refund, log })))
    await beReady(page)
    const approve = page.getByRole('radio', { name: /Approve/ })
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
    await approve.click({ force: true })
    assert.equal(await approve.isChecked(), false)
    await seeAll(page)
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
    await page.getByRole('button', { name: 'Show all 300 lines' }).click()
    await seeAll(page)
    await page.getByRole('radio', { name: /Approve/, disabled: false }).waitFor()
    await choose(page, /Approve/)
    assert.equal(await approve.isChecked(), true)
  })

  it('takes nothing for seen that lies under the form', async () => {
    const lines = Array.from({ length: 30 }, (_, line) => `line ${line}`)
    const note = [...lines, 'the account is not theirs'].join('\n')
    const page = await pageAs('reviewer', {
      ...pathOf(await claimed({ action: 'pay', note })),
      viewport: { width: 1280, height: 700 },
    })
    await beReady(page)
    const approve = page.getByRole('radio', { name: /Approve/ })
    const isBlocked = async () => (await approve.getAttribute('aria-disabled')) === 'true'
    assert.equal(await isBlocked(), true)
    for (let press = 0; press < 10 && (await isBlocked()); press++) {
      await page.keyboard.press('a')
      await letPass(page, 400)
    }
    assert.equal(await isBlocked(), false)
    const [part, form] = [page.locator('[data-part]').last(), page.locator('.decide')]
    const end = await part.locator('.part-end').boundingBox()
    const top = (await form.boundingBox())?.y ?? 0
    assert.ok((end?.y ?? Number.POSITIVE_INFINITY) <= top + 1, `${end?.y} under ${top}`)
  })

  it('is not sent by keys that come in one stroke', async () => {
    const reviewCaseId = await claimed({ action: 'pay' })
    const page = await pageAs('reviewer', pathOf(reviewCaseId))
    await beReady(page)
    await seeAll(page)
    const tookMs = await page.evaluate(`(async () => {
      const press = (target, key, more) =>
        target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))
      const from = performance.now()
      press(document.body, 'a')
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const chosen = document.querySelector('.decide :checked')
      press(chosen, 'Enter', { ctrlKey: true })
      return performance.now() - from
    })()`)
    await settle(page)
    assert.ok((await read(reviewCaseId)).state === 'open' || Number(tookMs) >= 500)
  })

  it('counts no click of the first half second, and no key that is held', async () => {
    const reviewCaseId = await claimed()
    const page = await pageAs('reviewer', { path: '/me' })
    await openOnClock(page, pathOf(reviewCaseId).path)
    await beReady(page)
    const reject = page.getByRole('radio', { name: /Reject/ })
    await stopClock(page)
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
    await page.clock.runFor(400)
    await reject.click()
    assert.equal(await reject.isChecked(), false)
    await page.clock.runFor(200)
    await page.evaluate(
      `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', repeat: true, bubbles: true }))`,
    )
    assert.equal(await reject.isChecked(), false)
    await page.keyboard.press('r')
    assert.equal(await reject.isChecked(), true)
    assert.equal((await read(reviewCaseId)).state, 'open')
  })

  it('asks for a comment with a refusal, and with an approval where much is at stake', async () => {
    const reviewCaseId = await claimed({ action: 'pay' }, { reviewTier: 'urgent' })
    const page = await pageAs('reviewer', pathOf(reviewCaseId))
    await beReady(page)
    await seeAll(page)
    for (const [name, send] of [
      [/Reject/, 'Send the rejection'],
      [/Approve/, 'Send the approval'],
    ] as const) {
      await choose(page, name)
      await page.getByRole('button', { name: send }).click({ force: true })
      await page.getByText('Write a comment first.').first().waitFor()
    }
    assert.equal((await read(reviewCaseId)).state, 'open')
  })

  it('is handed to a colleague', async () => {
    const reviewCaseId = await claimed()
    const page = await pageAs('reviewer', pathOf(reviewCaseId))
    await beReady(page)
    await page.keyboard.press('m')
    await settle(page)
    await page.getByLabel('Reviewer').selectOption({ label: 'Sam Second' })
    await page.getByRole('button', { name: 'Hand the case over' }).click()
    await page.getByText('The case was handed over.').waitFor()
    await page.getByText('Sam Second has the case.').waitFor()
  })

  it('sends a response of the form that the application gave', async () => {
    const schema = {
      type: 'object',
      required: ['amount'],
      properties: { amount: { type: 'number', minimum: 1 }, why: { type: 'string' } },
    }
    const respond = { schema, initial: { amount: 1200 } }
    const reviewCaseId = await claimed({ action: 'pay', respond })
    const page = await pageAs('reviewer', pathOf(reviewCaseId))
    await beReady(page)
    await choose(page, /Respond/)
    await page.getByLabel('amount').fill('0')
    await page.getByText('Fill in the response first.').waitFor()
    await page.getByLabel('amount').fill('900')
    await assertLooks(page, 'case-response')
    await page.getByRole('button', { name: 'Send the response' }).click()
    await page.getByRole('heading', { name: 'Answered with a response' }).waitFor()
    assert.deepEqual((await read(reviewCaseId)).response, { amount: 900 })
  })
})
