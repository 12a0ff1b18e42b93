import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { assertLooks } from './every-look.ts'
import { assertGone } from './remains.ts'
import { describePortal } from './suite.ts'

describePortal('keys', (suite) => {
  const { pageAs } = suite
  const staff = { kind: 'staff', name: 'ops' } as const
  const dayMs = 86_400_000

  it('issues a key, which is gone once its dialog is closed, and revokes it', async () => {
    const page = await pageAs('admin', { path: '/keys' })
    await page.getByRole('button', { name: 'Issue a secondary key' }).click()
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    const shown = page.getByRole('dialog', { name: 'The new key' })
    const value = await shown.locator('code').innerText()
    assert.match(value, /^svc_cust_/)
    const secret = value.split('.').at(-1) ?? ''
    await shown.getByRole('button', { name: 'I have stored it' }).click()
    const row = page.getByRole('table', { name: 'Customer keys' }).getByRole('row', {
      name: /Secondary/,
    })
    await row.waitFor()
    await assertGone(page, secret)
    await row.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('button', { name: 'Revoke for good' }).click()
    await row.getByText('Revoked').waitFor()
  })

  it('asks staff for a key, and reveals it to its requester once', async () => {
    const page = await pageAs('admin', { path: '/keys' })
    await page.getByRole('button', { name: 'New request' }).click()
    await page.getByLabel('Type').selectOption('management')
    await page.getByLabel('Why').fill('For the <b>dashboard</b>')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    const table = page.getByRole('table', { name: 'Requests to staff of the service' })
    await table.getByText('For the <b>dashboard</b>').waitFor()
    const { service } = suite.stage
    const { keyRequests } = unwrap(await service.keyRequests.list(suite.stage.admin, {}))
    const requestId = keyRequests[0]?.id ?? ''
    unwrap(await service.keyRequests.approve(staff, { requestId }))
    unwrap(await service.keyRequests.execute(staff, { requestId }))
    await table.getByRole('button', { name: 'Reveal the key' }).click()
    const shown = page.getByRole('dialog', { name: 'The new key' })
    const secret = (await shown.locator('code').innerText()).split('.').at(-1) ?? ''
    assert.ok(secret.length > 20)
    await shown.getByRole('button', { name: 'I have stored it' }).click()
    await table.getByText('The key was shown').waitFor()
    assert.equal(await table.getByRole('button', { name: 'Reveal the key' }).count(), 0)
    await assertGone(page, secret)
  })

  it('withdraws a request, and says why another one of the same is refused', async () => {
    const page = await pageAs('admin', { path: '/keys' })
    const ask = async () => {
      await page.getByRole('button', { name: 'New request' }).click()
      await page.getByLabel('What staff is to do').selectOption('rotate-tenant-key')
      await page.getByLabel('Why').fill('Yearly')
      await page.getByRole('button', { name: 'Ask', exact: true }).click()
    }
    await ask()
    const row = page.getByRole('row', { name: /Yearly/ })
    await row.waitFor()
    await ask()
    await page.getByText('The same was asked for before, and that request is open.').waitFor()
    assert.equal(await page.getByLabel('Why').inputValue(), 'Yearly')
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await row.getByText('Withdrawn').waitFor()
  })

  it('rotates a signing key once, and says until when both sign', async () => {
    const { stage } = suite
    const webhook = { url: 'https://127.0.0.1:9999/hooks', eventTypes: ['*'] } as const
    unwrap(await stage.service.webhooks.create(stage.admin, webhook))
    const page = await pageAs('admin', { path: '/keys' })
    const rotate = async () => {
      await page.getByRole('button', { name: 'Rotate: Events and outcomes' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    }
    await rotate()
    await page.getByText('Published, signs from').waitFor()
    await rotate()
    await page.getByText('The previous secret still signs.').waitFor()
  })

  it('points at keys that nobody uses, or that are due to be replaced', async () => {
    const { stage } = suite
    const { applicationId } = stage
    unwrap(await stage.service.customerKeys.issue(stage.admin, { applicationId }))
    await stage.advance(91 * dayMs)
    const page = await pageAs('auditor', { path: '/me' })
    // The clock of the answers' dates can not be moved.
    await page.route('**/v1/customer-keys?*', async (route) => {
      const answer = await route.fetch()
      const text = (await answer.text()).replaceAll(
        /"rotationDueAt":"\d+/g,
        '"rotationDueAt":"2001',
      )
      await route.fulfill({ response: answer, body: text })
    })
    await page.goto('/keys')
    await page.getByText('Not used for 30 days').first().waitFor()
    await page.getByText('Rotation was due').first().waitFor()
    assert.equal(await page.getByRole('button', { name: /Revoke|Issue|New request/ }).count(), 0)
  })

  it('looks right in each width and theme', async () => {
    const page = await pageAs('admin', { path: '/keys', bypassCSP: true })
    await page.getByRole('table', { name: 'Customer keys' }).waitFor()
    await page.getByRole('table', { name: 'Signing keys' }).waitFor()
    await assertLooks(page, 'keys')
    await page.getByRole('button', { name: 'New request' }).click()
    await assertLooks(page, 'key-request')
  })
})
