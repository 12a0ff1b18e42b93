import assert from 'node:assert/strict'
import { it } from 'node:test'
import { casesOf, openOnClock, settle, stopClock } from './case-steps.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('several cases of the queue', (suite) => {
  const { pageAs } = suite
  const { read, claimed, open } = casesOf(suite)
  const openEach = (titles: readonly string[]) =>
    Promise.all(titles.map((title) => open({ title, action: 'pay' })))

  it('are handed over by an admin in two steps, in which one that changed is left as it is', async () => {
    const titles = ['First <b>one</b>', 'Second', 'Third']
    const ids = await openEach(titles)
    const left = await claimed({ title: 'Left alone', action: 'pay' })
    const page = await pageAs('admin', { path: '/queue', bypassCSP: true })
    await page.getByRole('link', { name: 'Third' }).waitFor()
    for (const title of titles) {
      await page.getByRole('link', { name: title }).focus()
      await page.keyboard.press('x')
    }
    await page.getByText('3 cases selected').waitFor()
    await assertLooks(page, 'queue-selected')
    const [, changed = ''] = ids
    const { service, admin, members } = suite.stage
    await service.reviewCases.claim(admin, { reviewCaseId: changed })
    await page.getByRole('button', { name: 'Hand over…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Hand over 3 cases' })
    await dialog.getByLabel('Reviewer').selectOption('Sam Second')
    await dialog.getByRole('button', { name: 'Go on' }).press('Enter')
    await dialog.getByText('3 cases will go to Sam Second.').waitFor()
    const send = dialog.getByRole('button', { name: 'Hand over 3 cases' })
    await settle(page)
    await send.press('Enter')
    await dialog.getByText('2 of 3 cases handed over.').waitFor()
    await dialog.getByText(/^Second This changed while you looked at it/).waitFor()
    await assertLooks(page, 'bulk-results')
    const holders = await Promise.all(
      [...ids, left].map(async (id) => (await read(id)).assignment?.reviewerId),
    )
    const { secondReviewer, reviewer } = members
    assert.deepEqual(holders, [
      secondReviewer.memberId,
      admin.memberId,
      secondReviewer.memberId,
      reviewer.memberId,
    ])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByText(/selected$/).count(), 0)
  })

  it('are not handed over by a key that comes at once', async () => {
    const [reviewCaseId = ''] = await openEach(['At once'])
    const page = await pageAs('admin', { path: '/me' })
    await openOnClock(page, '/queue')
    await page.getByRole('checkbox', { name: 'Select At once', exact: true }).check()
    await page.getByRole('button', { name: 'Hand over…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Hand over 1 case' })
    await dialog.getByLabel('Reviewer').selectOption('Sam Second')
    await stopClock(page)
    await dialog.getByRole('button', { name: 'Go on' }).press('Enter')
    const send = dialog.getByRole('button', { name: 'Hand over 1 case' })
    await send.waitFor()
    await page.clock.runFor(400)
    await send.press('Enter')
    assert.equal(await send.count(), 1)
    assert.equal((await read(reviewCaseId)).assignment, null)
    await page.clock.runFor(700)
    await send.press('Enter')
    await dialog.getByText('1 of 1 case handed over.').waitFor()
  })

  it('are cancelled for a reason, once that was confirmed by their number', async () => {
    const ids = await openEach(['Ended workflow', 'Ended workflow, too'])
    const page = await pageAs('admin', { path: '/queue' })
    for (const title of ['Ended workflow', 'Ended workflow, too'])
      await page.getByRole('checkbox', { name: `Select ${title}`, exact: true }).check()
    await page.getByRole('button', { name: 'Cancel…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel 2 cases' })
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByLabel('Why').selectOption('the workflow around it ended')
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByText('This can not be undone.').waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await settle(page)
    await dialog.getByRole('button', { name: 'Cancel 2 cases' }).click()
    await dialog.getByText('2 of 2 cases cancelled.').waitFor()
    for (const id of ids) {
      const { state, cancellationReason } = await read(id)
      assert.deepEqual([state, cancellationReason], ['cancelled', 'parent_workflow_ended'])
    }
  })

  it('are found on the overview of an admin once their reviewer did nothing for half an hour', async () => {
    await claimed({ title: 'Taken just now', action: 'pay' })
    const page = await pageAs('admin', { bypassCSP: true })
    await page.getByText('No reviewer keeps a case waiting.').waitFor()
    const lain = await claimed({ title: 'Left lying', action: 'pay' }, { reviewTier: 'high' })
    await suite.stage.advance(31 * 60_000)
    const fresh = await claimed({ title: 'Taken since', action: 'pay' })
    await page.reload()
    const idle = page.getByRole('region', { name: 'Claims without a step for 30 minutes' })
    await idle.getByRole('link', { name: 'Left lying' }).waitFor()
    assert.equal(await idle.getByRole('link', { name: 'Taken since' }).count(), 0)
    await assertLooks(page, 'overview-idle')
    await idle.getByRole('link', { name: /^Hand over/ }).click()
    await page.waitForURL('**/queue?view=idle')
    await page
      .getByText(/no step for 31:\d\d/)
      .first()
      .waitFor()
    await page.getByRole('checkbox', { name: 'Select Left lying', exact: true }).check()
    await page.getByRole('button', { name: 'Hand over…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Hand over 1 case' })
    await dialog.getByRole('option', { name: 'Sam Second' }).waitFor({ state: 'attached' })
    assert.equal(await dialog.getByRole('option', { name: 'Ruth Reviewer' }).count(), 0)
    await dialog.getByLabel('Reviewer').selectOption('Sam Second')
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await settle(page)
    await dialog.getByRole('button', { name: 'Hand over 1 case' }).click()
    await dialog.getByText('1 of 1 case handed over.').waitFor()
    const { secondReviewer, reviewer } = suite.stage.members
    assert.equal((await read(lain)).assignment?.reviewerId, secondReviewer.memberId)
    assert.equal((await read(fresh)).assignment?.reviewerId, reviewer.memberId)
  })

  it('are not offered to reviewers', async () => {
    await open({ title: 'For reviewers', action: 'pay' })
    const page = await pageAs('reviewer', { path: '/queue' })
    await page.getByRole('link', { name: 'For reviewers' }).waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 0)
  })
})
