import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('what admins look after', (suite) => {
  const { pageAs } = suite

  it('shows what waits, and leads to it', async () => {
    const reviewCaseId = await suite.stage.openCase({ action: 'pay', title: 'Refund <b>now</b>' })
    const { service, admin } = suite.stage
    unwrap(await service.reviewCases.claim(admin, { reviewCaseId }))
    const page = await pageAs('admin', { bypassCSP: true })
    const own = page.getByRole('table', { name: 'Your cases' })
    await own.getByRole('link', { name: 'Refund <b>now</b>' }).waitFor()
    const mine = page.getByRole('link', { name: /Mine/ })
    assert.match(await mine.innerText(), /^1\s+Mine$/)
    await page.getByText('No case ended in this time.').waitFor()
    const seen = unwrap(await service.reviewCases.read(admin, { reviewCaseId }))
    unwrap(
      await service.reviewCases.decide(admin, {
        reviewCaseId,
        caseVersion: seen.caseVersion,
        presentationDigest: seen.presentationDigest ?? '',
        decision: 'approved',
        comment: 'As agreed.',
      }),
    )
    await page.getByText('1 case ended.').waitFor()
    const chart = await page.getByRole('figure').boundingBox()
    const table = await page.getByText('By day, in numbers').boundingBox()
    assert.ok(chart && table && chart.y + chart.height <= table.y)
    const svg = await page.locator('figure svg').boundingBox()
    assert.ok(svg && svg.y + svg.height <= table.y)
    await page.getByRole('row', { name: /Ada Admin 1 0 0 0 cancelled, 0 expired 100 %/ }).waitFor()
    await assertLooks(page, 'overview')
  })

  it('shows an auditor the overview without the numbers of reviewers', async () => {
    const page = await pageAs('auditor')
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: /Decisions of/ }).count(), 0)
    assert.equal(await page.getByRole('heading', { name: 'Your cases' }).count(), 0)
  })

  it('lists the audit log, narrowed down by the address', async () => {
    const page = await pageAs('auditor', { path: '/audit', bypassCSP: true })
    const log = page.getByRole('table', { name: 'Audit log' })
    await log.getByText('member.logged_in').first().waitFor()
    await page.getByLabel('Action').fill('application.created')
    await page.keyboard.press('Tab')
    await log.getByText('member.logged_in').first().waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('action'), 'application.created')
    await assertLooks(page, 'audit')
  })

  it('says that an entry does not hold the hash of the one before it', async () => {
    const page = await pageAs('auditor', { path: '/me' })
    await page.route('**/v1/customer/audit-log?*', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as { entries: { position: number; hash: string }[] }
      const [, second] = body.entries
      if (second) second.hash = '0'.repeat(64)
      await route.fulfill({ response: answer, json: body })
    })
    await page.goto('/audit')
    await page.getByText('the log was changed').waitFor()
  })

  it('changes the profile, and shows the plan', async () => {
    const page = await pageAs('admin', { path: '/organization', bypassCSP: true })
    await page.getByLabel('Name').fill('Acme Payments')
    await page.getByLabel('Country (optional)').fill('XX')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').or(page.getByText('Saved.')).first().waitFor()
    await page.getByLabel('Country (optional)').fill('DE')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.reload()
    await page.getByLabel('Name').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Acme Payments')
    await page.getByText('Enterprise').waitFor()
    await assertLooks(page, 'organization')
  })

  it('places a hold on a person, and releases it', async () => {
    const page = await pageAs('admin', { path: '/erasure', bypassCSP: true })
    await page.getByRole('button', { name: 'Place a hold' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Data subject').fill('person-7')
    await dialog.getByLabel('Matter').fill('Case 12/26')
    await dialog.getByRole('button', { name: 'Place the hold' }).click()
    const holds = page.getByRole('table', { name: 'Legal holds' })
    await holds.getByText('Case 12/26').waitFor()
    assert.ok(!(await holds.innerText()).includes('person-7'))
    await assertLooks(page, 'erasure')
    await holds.getByRole('button', { name: /^Release/ }).click()
    await dialog.getByLabel('Why').fill('Settled')
    await dialog.getByRole('button', { name: 'Release' }).click()
    await holds.getByText('Settled').waitFor()
    await page.getByRole('button', { name: 'Erase a person’s data' }).click()
    await dialog.getByLabel('Data subject').fill('nobody-known')
    await dialog.getByRole('button', { name: 'Erase for good' }).click()
    await dialog.getByText('This is not here, or not yours to see.').waitFor()
    assert.equal(await dialog.getByLabel('Data subject').inputValue(), 'nobody-known')
  })
})
