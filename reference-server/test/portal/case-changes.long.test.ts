import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Locator, Page } from 'playwright-core'
import { beReady, casesOf, choose, refund, settle } from './case-steps.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

/** Whether all of something lies between the top of the window and the form. */
async function isInView(page: Page, place: Locator): Promise<boolean> {
  const [box, form] = [await place.boundingBox(), await page.locator('.decide').boundingBox()]
  return box !== null && form !== null && box.y >= 0 && box.y + box.height <= form.y + 1
}

describePortal('a case that is not as it was', (suite) => {
  const { pageAs } = suite
  const { open, read, claimed, pathOf } = casesOf(suite)

  it('locks its form while the case is another, and keeps what was typed', async () => {
    const reviewCaseId = await claimed()
    const { service, members } = suite.stage
    const page = await pageAs('reviewer', pathOf(reviewCaseId))
    await beReady(page)
    await choose(page, /Ask/)
    await page.getByLabel('Question').fill('Which invoice?')
    await page.getByRole('button', { name: 'Send the question' }).click()
    await page.getByText('The question was asked.').waitFor()
    await settle(page)
    await choose(page, /Reject/)
    await page.getByLabel('Comment').fill('Nothing fits.')
    const { caseVersion } = await read(reviewCaseId)
    await fetch(`${suite.stage.ingestOrigin}/v1/review-cases/${reviewCaseId}/follow-up-response`, {
      method: 'POST',
      headers: { 'x-api-key': suite.stage.applicationKey, 'content-type': 'application/json' },
      body: JSON.stringify({ caseVersion, answer: 'R-7781' }),
    })
    await page.getByText('The application answered the question').waitFor()
    await page.getByText('not what the case asks any more').waitFor()
    assert.equal(await page.getByText('matches the case').count(), 0)
    await assertLooks(page, 'case-changed')
    await page.setViewportSize({ width: 768, height: 700 })
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.keyboard.press('Control+Enter')
    assert.equal((await read(reviewCaseId)).state, 'open')
    await settle(page)
    await page.getByRole('button', { name: 'Show it' }).click()
    await page.getByText('R-7781').waitFor()
    await settle(page)
    const focused = await page.evaluate(`document.activeElement.querySelector('h3')?.textContent`)
    assert.match(String(focused), /^Answered questions/)
    assert.ok(await isInView(page, page.locator('.part:focus')))
    assert.equal(await page.getByText('The question was asked.').count(), 0)
    await choose(page, /Reject/)
    assert.equal(await page.getByLabel('Comment').inputValue(), 'Nothing fits.')
    await settle(page)
    const reassigned = await service.reviewCases.reassign(suite.stage.admin, {
      reviewCaseId,
      caseVersion: (await read(reviewCaseId)).caseVersion,
      reviewerId: members.secondReviewer.memberId,
    })
    unwrap(reassigned)
    await page.getByRole('button', { name: 'Send the rejection' }).click({ force: true })
    await page.getByText('Sam Second has it now.').waitFor()
    assert.equal((await read(reviewCaseId)).state, 'open')
  })

  it('draws no case by an answer that comes late for another', async () => {
    const [asked, other] = [await claimed(), await claimed()]
    const page = await pageAs('reviewer', pathOf(asked))
    let answerNow = () => {}
    const late = new Promise<void>((resolve) => {
      answerNow = resolve
    })
    await page.route('**/follow-up', async (route) => {
      const answer = await route.fetch()
      await late
      await route.fulfill({ response: answer })
    })
    await beReady(page)
    await choose(page, /Ask/)
    await page.getByLabel('Question').fill('Which invoice?')
    await page.getByRole('button', { name: 'Send the question' }).click()
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('a'), { href: '${pathOf(other).path}', id: 'other' })); document.getElementById('other').click()`,
    )
    await page.getByText(other).first().waitFor()
    const answered = page.waitForResponse('**/follow-up')
    answerNow()
    await answered
    // Longer than the page takes for an answer that it has.
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    assert.equal(await page.getByText(asked).count(), 0)
    assert.equal(await page.getByText('The question was asked.').count(), 0)
    assert.ok((await page.getByText(other).count()) > 0)
  })

  it('decides nothing where what is drawn is not what the case names', async () => {
    const reviewCaseId = await claimed()
    const page = await pageAs('reviewer')
    await page.route(`**/v1/review-cases/${reviewCaseId}`, async (route) => {
      const answer = await route.fetch()
      const body = await answer.text()
      await route.fulfill({ response: answer, body: body.replace('1200', '1300') })
    })
    await page.goto(`/cases/${reviewCaseId}`)
    await page.getByText('does not match the case').waitFor()
    await settle(page)
    for (const name of [/Approve/, /Reject/]) {
      const choice = page.getByRole('radio', { name })
      assert.equal(await choice.getAttribute('aria-disabled'), 'true')
      await choice.click({ force: true })
      assert.equal(await choice.isChecked(), false)
    }
  })

  it('shows words that it does not know as they came, and is decided all the same', async () => {
    const reviewCaseId = await claimed()
    const page = await pageAs('reviewer')
    const path = `**/v1/review-cases/${reviewCaseId}`
    await page.route(path, async (route) => {
      const response = await route.fetch()
      // The page keeps what it got where nothing changed.
      if (response.status() === 304) return route.fulfill({ response })
      const body = (await response.json()) as { readonly history: readonly object[] }
      const [opened, ...history] = body.history
      const later = { reasonCategory: 'later_reason', reviewTier: 'later_tier' }
      const json = { ...body, ...later, history: [{ ...opened, step: 'later_step' }, ...history] }
      await route.fulfill({ response, json })
    })
    await page.goto(`/cases/${reviewCaseId}`)
    await page.getByText('matches the case').waitFor()
    for (const word of ['later_reason', 'later_tier', 'later_step'])
      await page.getByText(word).first().waitFor()
    await settle(page)
    await choose(page, /Reject/)
    await page.getByLabel('Comment').fill('No.')
    await page.getByRole('button', { name: 'Send the rejection' }).click()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    assert.equal((await read(reviewCaseId)).decision, 'rejected')
  })

  it('reads the case again after a lost answer, before anything is sent again', async () => {
    for (const [arrives, then] of [
      [true, /^Rejected$/],
      [false, /nothing was done/],
    ] as const) {
      const reviewCaseId = await claimed()
      const page = await pageAs('reviewer', pathOf(reviewCaseId))
      suite.tolerate(/Failed to load resource/)
      let sent = 0
      await page.route('**/decide', async (route) => {
        sent++
        if (arrives) await route.fetch()
        await route.abort('connectionreset')
      })
      await beReady(page)
      await choose(page, /Reject/)
      await page.getByLabel('Comment').fill('No.')
      await page.getByRole('button', { name: 'Send the rejection' }).click()
      await page.getByText(then).first().waitFor()
      assert.equal(sent, 1)
      assert.equal((await read(reviewCaseId)).state, arrives ? 'decided' : 'open')
      if (!arrives) assert.equal(await page.getByLabel('Comment').inputValue(), 'No.')
    }
  })

  it('is claimed by one of two reviewers, and tells the other who has it', async () => {
    const reviewCaseId = await open()
    const pages = [
      await pageAs('reviewer', pathOf(reviewCaseId)),
      await pageAs('secondReviewer', pathOf(reviewCaseId)),
    ]
    for (const page of pages) await page.getByRole('button', { name: 'Claim' }).waitFor()
    await Promise.all(pages.map(settle))
    // Neither is served before both have asked: by then the other would see that it is taken.
    let arrived = 0
    let serve = () => {}
    const both = new Promise<void>((resolve) => {
      serve = resolve
    })
    for (const page of pages)
      await page.route('**/claim', async (route) => {
        if (++arrived === 2) serve()
        await both
        await route.continue()
      })
    await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Claim' }).click()))
    const holder = await until(
      'one of them to have it',
      async () => (await read(reviewCaseId)).assignment?.reviewerId ?? null,
    )
    const first = holder === suite.stage.members.reviewer.memberId
    const [winner, loser] = first ? pages : [...pages].reverse()
    await winner?.getByText('You have the case now.').waitFor()
    await loser?.getByText(first ? 'Ruth Reviewer has it now.' : 'Sam Second has it now.').waitFor()
  })

  it('closes its form at its end, by the clock of the service', async () => {
    const hour = 3_600_000
    const reviewCaseId = await claimed(refund, {
      dueAt: new Date(Date.now() + hour).toISOString(),
      expiresAt: new Date(Date.now() + 2 * hour).toISOString(),
    })
    const page = await pageAs('reviewer', pathOf(reviewCaseId))
    await beReady(page)
    await choose(page, /Reject/)
    await page.getByLabel('Comment').fill('No.')
    // By the clock alone: a case that is read again has no form any more.
    await page.route(`**/v1/review-cases/${reviewCaseId}`, () => {
      // Never answered.
    })
    await suite.stage.advance(2 * hour + 60_000)
    await page
      .getByText(/expired: nothing was approved/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Send the rejection' }).click({ force: true })
    assert.notEqual((await read(reviewCaseId)).decision, 'rejected')
  })
})
