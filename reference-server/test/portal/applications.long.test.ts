import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { assertLooks } from './every-look.ts'
import { assertGone } from './remains.ts'
import { describePortal } from './suite.ts'

describePortal('the pages of applications', (suite) => {
  const { pageAs } = suite
  const create = async (name: string) =>
    unwrap(await suite.stage.service.applications.create(suite.stage.admin, { name })).applicationId

  it('list applications, and lead to a new one', async () => {
    const page = await pageAs('admin', { path: '/applications', bypassCSP: true })
    await page.getByRole('link', { name: 'Payment assistant' }).waitFor()
    await assertLooks(page, 'applications')
    await page.getByRole('link', { name: 'New application' }).click()
    await page.getByLabel('Name').fill('Outreach')
    await page.getByLabel('Stage').selectOption('staging')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Outreach' }).waitFor()
    await page.getByText('Without a key the application can not open a case.').waitFor()
    await assertLooks(page, 'application-new')
  })

  it('change name and thresholds, and name what is wrong at its field', async () => {
    const applicationId = await create('Before')
    const page = await pageAs('admin', { path: `/applications/${applicationId}`, bypassCSP: true })
    await page.getByRole('link', { name: 'Change', exact: true }).click()
    await page.getByLabel('Name').fill('After')
    await page.getByLabel('Least quality').fill('55.5')
    await assertLooks(page, 'application-edit')
    await suite.stage.service.applications.update(suite.stage.admin, {
      applicationId,
      description: 'changed meanwhile',
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await page.reload()
    await page.getByLabel('Name').fill('After')
    await page.getByLabel('Least quality').fill('55.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'After' }).waitFor()
    const actor = suite.stage.admin
    const saved = unwrap(await suite.stage.service.applications.read(actor, { applicationId }))
    assert.equal(saved.description, 'changed meanwhile')
    assert.equal(saved.settings?.qualityThreshold, 55.5)
  })

  it('show the value of a key once, and revoke it after a question', async () => {
    const page = await pageAs('admin', { path: `/applications/${await create('Keyed')}` })
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByLabel('Label').fill('production')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const value = String(await dialog.locator('code').textContent())
    assert.match(value, /^svc_app_/)
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('cell', { name: 'production', exact: true }).waitFor()
    await assertGone(page, value)
    await page.getByRole('button', { name: 'Revoke production' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('cell', { name: /^revoked/ }).waitFor()
  })

  it('set, show and remove where outcomes go', async () => {
    const page = await pageAs('admin', { path: `/applications/${await create('Told')}` })
    await page.getByRole('button', { name: 'Set an address' }).click()
    await page.getByLabel('Address').fill('https://127.0.0.1:9443/outcomes')
    await page.getByLabel('Signature', { exact: true }).selectOption('shared_secret')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    const secret = String(await dialog.locator('code').textContent())
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('https://127.0.0.1:9443/outcomes').waitFor()
    await assertGone(page, secret)
    await page.getByRole('button', { name: 'Remove the address' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The application has no address for outcomes').waitFor()
  })

  it('remove an application only by its name, count the time down, and take it back', async () => {
    const applicationId = await create('Short-lived')
    const page = await pageAs('admin', { path: `/applications/${applicationId}`, bypassCSP: true })
    await page.getByRole('button', { name: 'Remove the application' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To go on').fill('Short lived')
    await page.keyboard.press('Enter')
    await dialog.getByText('This is not the name of the application').waitFor()
    const actor = suite.stage.admin
    const state = async () =>
      unwrap(await suite.stage.service.applications.read(actor, { applicationId })).lifecycleState
    assert.equal(await state(), 'active')
    await dialog.getByLabel('To go on').fill('Short-lived')
    await page.keyboard.press('Enter')
    await page.getByText(/in [67] d/).waitFor()
    assert.equal(await state(), 'pending_deletion')
    await assertLooks(page, 'application-removal')
    await page.getByRole('button', { name: 'Cancel the removal' }).click()
    await page.getByRole('button', { name: 'Remove the application' }).waitFor()
    assert.equal(await state(), 'active')
  })
})
