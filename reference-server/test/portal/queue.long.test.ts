import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('the queue', (suite) => {
  const { pageAs } = suite
  let opened = 0
  const open = (title: string, more = {}) =>
    suite.stage.openCase({ title, action: 'pay' }, { checkpointId: `queue-${opened++}`, ...more })

  it('lists cases by when they are due, filtered by its address', async () => {
    const empty = await pageAs('reviewer', { path: '/queue', bypassCSP: true })
    await empty.getByText('No case waits.').waitFor()
    await assertLooks(empty, 'queue-empty')
    await open('Later', { reviewTier: 'standard' })
    await open('Sooner \u202etxt', { reviewTier: 'urgent' })
    const page = await pageAs('reviewer', { path: '/queue', bypassCSP: true })
    await page.getByRole('link', { name: 'Later' }).waitFor()
    assert.deepEqual(await page.locator('[data-row]').allTextContents(), [
      'Sooner ⟦U+202E⟧txt',
      'Later',
    ])
    await page.waitForFunction(`document.title === '(2) Queue · Countersign'`)
    await assertLooks(page, 'queue')
    await page.setViewportSize({ width: 320, height: 900 })
    const spilled = await page.evaluate<number>(
      `[...document.querySelectorAll('.rows td')].filter((cell) => cell.scrollHeight > cell.clientHeight + 2).length`,
    )
    assert.equal(spilled, 0, 'headings that lie over the next row')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByLabel('Tier').selectOption('urgent')
    await page.waitForURL('**/queue?tier=urgent')
    await page.getByText('1 of 1').waitFor()
    await page.reload()
    await page.getByText('1 of 1').waitFor()
  })

  it('never says that nothing waits while cases do', async () => {
    const page = await pageAs('reviewer', { path: '/me' })
    await page.addInitScript(`window.wasEmpty = false
      new MutationObserver(() => {
        wasEmpty ||= document.querySelector('.empty') !== null
      }).observe(document, { childList: true, subtree: true })`)
    await page.goto('/queue')
    await page.getByRole('link', { name: 'Later' }).waitFor()
    assert.equal(await page.evaluate('wasEmpty'), false)
  })

  it('moves nothing until it is asked to', async () => {
    const page = await pageAs('reviewer', { path: '/queue' })
    await page.getByRole('link', { name: 'Later' }).waitFor()
    const before = await page.locator('[data-row]').allTextContents()
    const reviewCaseId = await open('Soonest', { reviewTier: 'urgent' })
    const { service, admin, members } = suite.stage
    const taken = await page.locator('[data-row]').first().getAttribute('data-row')
    unwrap(await service.reviewCases.claim(admin, { reviewCaseId: String(taken) }))
    await page.getByText('1 new, 1 taken or handed over').waitFor()
    assert.deepEqual(await page.locator('[data-row]').allTextContents(), before)
    await page.keyboard.press('u')
    await page.getByRole('link', { name: 'Soonest' }).waitFor()
    await page.getByRole('cell', { name: 'Ada Admin' }).waitFor()
    assert.ok(members.reviewer && reviewCaseId)
  })

  it('claims the next that is due, and tries on where it is taken', async () => {
    const page = await pageAs('secondReviewer', { path: '/queue' })
    await page.getByRole('link', { name: 'Later' }).waitFor()
    const taken = await open('Contended', { dueAt: new Date(Date.now() + 600_000).toISOString() })
    await page.route('**/v1/portal/review-queue*', async (route) => {
      const answer = await route.fetch()
      const url = new URL(route.request().url())
      if (url.searchParams.get('assignee') === 'none')
        await suite.stage.service.reviewCases.claim(suite.stage.admin, { reviewCaseId: taken })
      await route.fulfill({ response: answer })
    })
    await page.keyboard.press('n')
    await page.getByText('You sign this').waitFor()
    const [, reviewCaseId = ''] = /cases\/(.+)$/.exec(page.url()) ?? []
    assert.notEqual(reviewCaseId, taken)
    const found = await suite.stage.service.reviewCases.read(suite.stage.admin, { reviewCaseId })
    assert.equal(unwrap(found).assignment?.reviewerId, suite.stage.members.secondReviewer.memberId)
  })

  it('draws 500 rows at most, and names the way to the others', async () => {
    for (let batch = 0; batch < 26; batch++)
      await Promise.all(Array.from({ length: 20 }, () => open('One of many')))
    const page = await pageAs('reviewer', { path: '/queue' })
    const rows = page.locator('[data-row]')
    for (let drawn = 50; drawn < 500; drawn += 50) {
      await page.getByText(`${drawn} of `).waitFor()
      assert.equal(await rows.count(), drawn)
      await page.getByRole('button', { name: 'More' }).click()
    }
    await page.getByText('filters show the others').waitFor()
    assert.equal(await page.getByRole('button', { name: 'More' }).count(), 0)
    const ids = await rows.evaluateAll((links) =>
      links.map((link) => link.getAttribute('data-row')),
    )
    assert.equal(ids.length, 500)
    assert.equal(new Set(ids).size, 500)
  })
})
