import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { casesOf } from './case-steps.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('what stands beside a case', (suite) => {
  const { pageAs } = suite
  const { open, claimed, read, pathOf } = casesOf(suite)

  it('has the guidelines that an admin wrote: open at first, folded after, open again for others', async () => {
    const { applicationId } = suite.stage
    const [first, second] = [await open(), await open()]
    const admin = await pageAs('admin', { path: `/applications/${applicationId}`, bypassCSP: true })
    await admin.getByText('There are none. Reviewers would see them').waitFor()
    await admin.getByRole('button', { name: 'Write guidelines' }).click()
    await admin
      .getByRole('textbox', { name: 'Guidelines' })
      .fill('Refunds <b>over</b> 500:\n- call the customer')
    await admin.getByRole('button', { name: 'Save' }).click()
    await admin.getByText(/^Refunds <b>over<\/b> 500:\s+- call the customer$/).waitFor()

    const page = await pageAs('reviewer', pathOf(first))
    const text = page.getByText('Refunds <b>over</b> 500:')
    await text.waitFor()
    assert.equal(await page.locator('.signed').getByText('call the customer').count(), 0)
    await assertLooks(page, 'case-guidelines')
    const summary = page.getByText('Guidelines for reviewers')
    await page.getByRole('link', { name: 'Queue' }).first().click()
    await page.locator(`[data-row="${second}"]`).click()
    await summary.waitFor()
    assert.equal(await text.isVisible(), false)
    await summary.press('Enter')
    await text.waitFor()

    await admin.getByRole('button', { name: 'Write guidelines' }).click()
    await admin.getByRole('textbox', { name: 'Guidelines' }).fill('Ask twice.')
    await admin.getByRole('button', { name: 'Save' }).click()
    await admin.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Queue' }).first().click()
    await page.locator(`[data-row="${second}"]`).click()
    await page.getByText('Ask twice.').waitFor()
    assert.equal(await page.getByText('Ask twice.').isVisible(), true)
  })

  it('lists the other cases of the session by what became of them, open ones first', async () => {
    const { service, admin } = suite.stage
    const inSession = { sessionId: 'ses_related' }
    const ended = await claimed({ action: 'pay' }, { ...inSession, checkpointId: 'paid-before' })
    const seen = await read(ended)
    unwrap(
      await service.reviewCases.reassign(admin, {
        reviewCaseId: ended,
        caseVersion: seen.caseVersion,
        reviewerId: admin.memberId,
      }),
    )
    const own = await read(ended)
    unwrap(
      await service.reviewCases.decide(admin, {
        reviewCaseId: ended,
        caseVersion: own.caseVersion,
        presentationDigest: own.presentationDigest ?? '',
        decision: 'rejected',
        comment: 'No.',
      }),
    )
    await claimed({ action: 'pay' }, { ...inSession, checkpointId: 'still <i>open</i>' })
    const shown = await open({ action: 'pay' }, { ...inSession, checkpointId: 'this-one' })
    const page = await pageAs('reviewer', pathOf(shown))
    const list = page.locator('.related').first()
    // The names come by themselves.
    await list.getByText('by Ada Admin').waitFor()
    const lines = await list.locator('li').allInnerTexts()
    assert.equal(lines.length, 2)
    assert.match(lines[0] ?? '', /^still <i>open<\/i> Open, with Ruth Reviewer /)
    assert.match(lines[1] ?? '', /^paid-before Rejected by Ada Admin /)

    const alone = await open({ action: 'pay' }, { sessionId: 'ses_alone' })
    await page.getByText('Latest cases of the application').press('Enter')
    await page.locator('.related').nth(1).getByRole('link').nth(1).waitFor()
    await list.getByRole('link', { name: 'paid-before' }).click()
    await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    await page.goto(`/cases/${alone}`)
    await page.getByText('There are none.').waitFor()
  })

  it('tells how the application’s cases of the same tool were decided', async () => {
    const { service, admin } = suite.stage
    const refund = (title: string) => ({ title, action: { tool: 'pay.refund' } })
    const decided = async (presentation: unknown) => {
      const reviewCaseId = await open(presentation)
      unwrap(await service.reviewCases.claim(admin, { reviewCaseId }))
      const { caseVersion, presentationDigest } = await read(reviewCaseId)
      unwrap(
        await service.reviewCases.decide(admin, {
          ...{ reviewCaseId, caseVersion, presentationDigest: presentationDigest ?? '' },
          ...{ decision: 'rejected', comment: 'No.' },
        }),
      )
    }
    await decided(refund('Refund <b>before</b>'))
    await decided({ title: 'A mail', action: { tool: 'mail.send' } })
    const page = await pageAs('reviewer', pathOf(await open(refund('Refund now'))))
    await page.getByText('Decisions on pay.refund').press('Enter')
    const lines = page.locator('details', { hasText: 'Decisions on' }).locator('li')
    await lines.getByText('by Ada Admin').waitFor()
    assert.equal(await lines.count(), 1)
    assert.match(await lines.innerText(), /^Refund <b>before<\/b> Rejected by Ada Admin /)
    await assertLooks(page, 'case-tool')
  })
})
