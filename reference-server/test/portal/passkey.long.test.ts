import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'
import { virtualAuthenticator } from './virtual-authenticator.ts'

describePortal(
  'a passkey',
  (suite) => {
    const { pageAs, tolerate } = suite

    it('logs in, beside a key on the same device that signs, until it is revoked', async () => {
      const page = await pageAs('secondReviewer', { path: '/me' })
      const { held, verify } = await virtualAuthenticator(page)
      const dialog = page.getByRole('dialog')
      const add = async (name: string, use: string) => {
        await page.getByRole('button', { name: 'Add an authenticator' }).click()
        await dialog.getByLabel('Name').fill(name)
        await dialog.getByLabel('It is for').selectOption(use)
      }
      const byPasskey = page.getByRole('button', { name: 'Use a passkey' })
      await add('Pocket', 'Logging in')
      await dialog.getByLabel('Password').fill('correct horse battery')
      await dialog.getByRole('button', { name: 'Add it' }).click()
      await page.getByText('Pocket logs you in from now on.').waitFor()
      await page.getByRole('button', { name: 'Log out', exact: true }).click()
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      await assertLooks(page, 'login-by-passkey')

      // What signs in is the signature of nothing else.
      await page.route('**/v1/auth/passkey/options', async (route) => {
        const answer = await route.fetch()
        const begun = (await answer.json()) as { readonly statement: object }
        const statement = { ...begun.statement, statementType: 'review-decision' }
        await route.fulfill({ response: answer, json: { ...begun, statement } })
      })
      await byPasskey.click()
      await page.getByText('The service asked to sign something else than a login.').waitFor()
      await page.unroute('**/v1/auth/passkey/options')
      await verify(false)
      await byPasskey.click()
      await page.getByText('Nothing was signed, so nothing was done.').waitFor()
      await verify(true)

      await byPasskey.click()
      await page.getByText('Sam Second', { exact: true }).waitFor()
      await page.goto('/me')
      await page.getByRole('heading', { name: 'You', exact: true }).waitFor()

      await add('Pocket too', 'Signing decisions')
      await dialog.getByRole('button', { name: 'Add it' }).click()
      await page.getByText('Pocket too signs your decisions from now on.').waitFor()
      assert.equal(await held(), 2)

      tolerate(/401/)
      const { admin, service, members } = suite.stage
      const { memberId } = members.secondReviewer
      const { authenticators } = unwrap(await service.members.authenticators(admin, { memberId }))
      const authenticatorId = authenticators.find(({ name }) => name === 'Pocket')?.authenticatorId
      assert.ok(authenticatorId)
      unwrap(await service.members.revokeAuthenticator(admin, { memberId, authenticatorId }))
      // The page reads what waits again and again, and is told so.
      await page.getByRole('heading', { name: 'Log in again' }).waitFor()
      await byPasskey.click()
      await page.getByText('This passkey logs nobody in').waitFor()
    })
  },
  {},
  'localhost',
)
