import assert from 'node:assert/strict'
import { promises } from 'node:dns'
import { after, before, it, mock } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Page } from 'playwright-core'
import { type CertifiedProvider, openProvider } from './certified-provider.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'

describePortal('a login by the provider of an organization', (suite) => {
  const { pageAs, tolerate } = suite
  const ignoreHTTPSErrors = true
  let provider: CertifiedProvider
  before(async () => {
    const { origin, certificate, members, tenantId } = suite.stage
    const { email } = members.reviewer
    const person = { sub: 'rita', email, email_verified: true, name: 'Rita' }
    provider = await openProvider(certificate, `${origin}/login/provider`, person)
    mock.method(promises.Resolver.prototype, 'resolveTxt', async () => [
      [`countersign=${tenantId}`],
    ])
  })
  after(() => {
    mock.restoreAll()
    provider?.close()
  })

  const domainOf = (email: string) => email.split('@')[1] ?? ''
  async function goTo(page: Page, email: string): Promise<void> {
    await page.getByRole('link', { name: 'Log in by your organization' }).click()
    // The page before has an address to enter, too.
    await page.getByRole('heading', { name: 'Log in by your organization' }).waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Go on' }).click()
  }

  it('is shown to others, who can not change it', async () => {
    const page = await pageAs('auditor', { path: '/organization' })
    await page.getByText('There is none: members log in as it is set below.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Set the provider' }).count(), 0)
  })

  it('is set by an admin, lets a member in where they wanted to go, and is removed', async () => {
    const { members, service, admin } = suite.stage
    const { email } = members.reviewer
    const page = await pageAs('admin', { path: '/organization', bypassCSP: true })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Set the provider' }).click()
    await dialog.getByLabel('Issuer').fill(provider.issuer)
    await dialog.getByLabel('Client id').fill('countersign')
    await dialog.getByLabel('Client secret').fill('countersign')
    await dialog.getByLabel('Domains of e-mail addresses').fill(domainOf(email))
    await dialog.getByLabel('Your password').fill('correct horse battery')
    await assertLooks(page, 'provider-setting')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('It is saved.').waitFor()
    await assertLooks(page, 'provider')

    // The provider is another origin, to which the browser goes and comes back from.
    const other = await pageAs(null, { path: '/me', ignoreHTTPSErrors, bypassCSP: true })
    await other.getByRole('heading', { name: 'Log in' }).waitFor()
    await assertLooks(other, 'login-with-provider')
    await goTo(other, email)
    await other.getByRole('heading', { name: 'You', exact: true }).waitFor()
    assert.equal(new URL(other.url()).search, '')
    suite.takeFaults()

    // Another person with the same address; and the answer to a login that another browser began.
    tolerate(/401/)
    provider.person = { ...provider.person, sub: 'another' }
    const stranger = await pageAs(null, { path: '/login', ignoreHTTPSErrors })
    await goTo(stranger, email)
    await stranger.getByRole('heading', { name: 'You were not let in' }).waitFor()
    await stranger.goto('/login/provider?code=stolen&state=stolen')
    await stranger.getByRole('heading', { name: 'You were not let in' }).waitFor()
    await stranger.goto('/login/provider')
    await stranger.getByText(/was not finished within 5 minutes in this browser/).waitFor()
    suite.takeFaults()

    await page.getByRole('button', { name: 'Remove the provider' }).click()
    await dialog.getByLabel('Your password').fill('correct horse battery')
    await dialog.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('It is removed.').waitFor()
    assert.equal(unwrap(await service.signInProvider.read(admin, {})).provider, null)
  })
})
