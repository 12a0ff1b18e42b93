import assert from 'node:assert/strict'
import { promises } from 'node:dns'
import { after, before, it, mock } from 'node:test'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { type MemberActor, unwrap } from '@countersign/core'
import { type CertifiedProvider, openProvider } from './certified-provider.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'
import { virtualAuthenticator } from './virtual-authenticator.ts'

const password = 'correct horse battery'

describePortal(
  'how members of an organization log in',
  (suite) => {
    const { pageAs, tolerate } = suite
    let provider: CertifiedProvider
    before(async () => {
      const { origin, certificate, tenantId } = suite.stage
      const person = { sub: 'ada', email: 'admin@acme.example', email_verified: true, name: 'Ada' }
      provider = await openProvider(certificate, `${origin}/login/provider`, person)
      mock.method(promises.Resolver.prototype, 'resolveTxt', async () => [
        [`countersign=${tenantId}`],
      ])
    })
    after(() => {
      mock.restoreAll()
      provider?.close()
    })

    it('is by passkey alone for who has one, where an admin asks for it', async () => {
      const { service, admin } = suite.stage
      const page = await pageAs('admin', { path: '/organization', bypassCSP: true })
      const dialog = page.getByRole('dialog')
      await page.getByText('by password or passkey', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Change how members log in' }).click()
      await dialog.getByLabel('Members log in').selectOption('passkey')
      await dialog.getByLabel('Your password').fill(password)
      await assertLooks(page, 'sign-in-rule')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('by passkey, who has one', { exact: true }).waitFor()
      assert.equal(unwrap(await service.signInRule.read(admin, {})).signIn, 'passkey')

      // A session by password lasts until the member has a passkey.
      const other = await pageAs('secondReviewer', { path: '/me' })
      tolerate(/401/)
      await virtualAuthenticator(other)
      const adding = other.getByRole('dialog')
      await other.getByRole('button', { name: 'Add an authenticator' }).click()
      await adding.getByLabel('Name').fill('Pocket')
      await adding.getByLabel('It is for').selectOption('Logging in')
      await adding.getByLabel('Password').fill(password)
      await adding.getByRole('button', { name: 'Add it' }).click()
      await other.getByRole('button', { name: 'Use a passkey' }).click()
      await other.getByText('Pocket', { exact: true }).waitFor()
      const { email } = suite.stage.members.secondReviewer
      const given = { email, password, address: '192.0.2.1' }
      const refused = await service.auth.login(given)
      assert.equal(refused.ok ? null : refused.refusal.code, 'invalid_credentials')

      const auditor = await pageAs('auditor', { path: '/organization' })
      await auditor.getByText('by passkey, who has one', { exact: true }).waitFor()
      const change = auditor.getByRole('button', { name: 'Change how members log in' })
      assert.equal(await change.count(), 0)
    })

    it('leaves passwords to the admin who is chosen, where a provider is required', async () => {
      const { service, tenantId, origin, admin } = suite.stage
      const rights = { role: 'CustomerAdmin', permissions: [] } as const
      const bea = unwrap(
        await service.members.create(
          { kind: 'system' },
          { ...{ tenantId, name: 'Bea Second', email: 'bea@acme.example', password }, ...rights },
        ),
      )
      const page = await pageAs('admin', { path: '/organization' })
      tolerate(/40[01]/)
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Set the provider' }).click()
      await dialog.getByLabel('Issuer').fill(provider.issuer)
      await dialog.getByLabel('Client id').fill('countersign')
      await dialog.getByLabel('Client secret').fill('countersign')
      await dialog.getByLabel('Domains of e-mail addresses').fill('acme.example')
      const left = dialog.getByLabel('The admin who keeps password and passkey')
      assert.equal(await left.count(), 0)
      await dialog.getByLabel('Close passwords and passkeys').check()
      await left.waitFor()
      assert.equal(await left.inputValue(), admin.memberId)
      assert.deepEqual(await left.getByRole('option').allTextContents(), [
        'Ada Admin',
        'Bea Second',
      ])
      await left.selectOption('Bea Second')
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('expected an active admin who has an authenticator').first().waitFor()

      const actor: MemberActor = { kind: 'member', tenantId, memberId: bea.memberId, ...rights }
      const { hostname: rpId } = new URL(origin)
      const key = createSoftwareAuthenticator({ algorithm: 'ES256', rpId, origin })
      const asked = { use: 'signing', password, address: '192.0.2.1' } as const
      const { options } = unwrap(await service.authenticators.startRegistration(actor, asked))
      const { id, response } = key.register(options as { readonly challenge: string })
      const enrolled = { name: 'Key', use: 'signing', credential: { id, response } } as const
      unwrap(await service.authenticators.enrol(actor, enrolled))
      await dialog.getByRole('button', { name: 'Save' }).click()
      // Who chose somebody else logs in by the provider from then on.
      await page.getByRole('heading', { name: 'Log in again' }).waitFor()
      const saved = unwrap(await service.signInProvider.read(actor, {})).provider
      assert.deepEqual([saved?.required, saved?.breakGlassMemberId], [true, bea.memberId])
    })
  },
  {},
  'localhost',
)
