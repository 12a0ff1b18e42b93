import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { CDPSession, Page } from 'playwright-core'
import { casesOf, choose, seeAll, settle } from './case-steps.ts'
import { assertLooks } from './every-look.ts'
import { describePortal } from './suite.ts'
import { until } from './until.ts'

/** An authenticator in the browser, whose user is there and verified. */
async function virtualAuthenticator(page: Page) {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const verify = (isUserVerified: boolean) =>
    cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  return { verify }
}

describePortal(
  'authenticators of a reviewer',
  (suite) => {
    const { pageAs, tolerate } = suite
    const { open, read, claimed } = casesOf(suite)

    async function decideOn(page: Page, reviewCaseId: string): Promise<void> {
      await page.goto(`/cases/${reviewCaseId}`)
      await page.getByText('matches the case').waitFor()
      await settle(page)
      await seeAll(page)
      await choose(page, /Reject/)
      await page.getByLabel('Comment').fill('Not agreed.')
      await page.getByRole('button', { name: 'Send the rejection' }).click()
    }

    it('are added, sign a decision, and are renamed; another statement is not signed', async () => {
      const page = await pageAs('reviewer', { path: '/me' })
      const { verify } = await virtualAuthenticator(page)
      await page.getByRole('button', { name: 'Add an authenticator' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Blue key')
      await dialog.getByLabel('Password').fill('correct horse battery')
      await dialog.getByRole('button', { name: 'Add it' }).click()
      await page.getByText('Blue key signs your decisions from now on.').waitFor()
      await assertLooks(page, 'authenticators')

      const signed = await claimed()
      await decideOn(page, signed)
      await page.getByRole('heading', { name: 'Rejected' }).waitFor()
      const { decisionSignature } = await read(signed)
      const { memberId } = suite.stage.members.reviewer
      assert.equal(decisionSignature?.statement.memberId, memberId)

      // A service that asks for the signature of another decision gets none.
      const other = await claimed()
      await page.route('**/decision-statement', async (route) => {
        const answer = await route.fetch()
        const stated = (await answer.json()) as { readonly statement: object }
        const statement = { ...stated.statement, decision: 'approved' }
        await route.fulfill({ response: answer, json: { ...stated, statement } })
      })
      await decideOn(page, other)
      await page.getByText('The service asked to sign something else').waitFor()
      assert.equal((await read(other)).state, 'open')
      await page.unroute('**/decision-statement')

      // Who is not verified has not signed, as who leaves the dialog.
      await verify(false)
      await settle(page)
      await page.getByRole('button', { name: 'Send the rejection' }).click()
      await page.getByText('Nothing was signed, so nothing was done.').waitFor()
      assert.equal((await read(other)).state, 'open')
      await verify(true)

      await page.goto('/me')
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Green key')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename it' }).click()
      await page.getByText('Green key').waitFor()

      // Revoked by an admin while the page is open.
      tolerate(/409/)
      const admin = suite.stage.admin
      const { service } = suite.stage
      const { authenticators } = unwrap(await service.members.authenticators(admin, { memberId }))
      const [authenticator] = authenticators
      assert.ok(authenticator)
      await page.goto(`/cases/${other}`)
      await page.getByText('matches the case').waitFor()
      await page.route('**/decision-statement', async (route) => {
        const answer = await route.fetch()
        const { authenticatorId } = authenticator
        unwrap(await service.members.revokeAuthenticator(admin, { memberId, authenticatorId }))
        await route.fulfill({ response: answer })
      })
      await settle(page)
      await seeAll(page)
      await choose(page, /Reject/)
      await page.getByLabel('Comment').fill('Not agreed.')
      await page.getByRole('button', { name: 'Send the rejection' }).click()
      await page.getByText('This authenticator was revoked').waitFor()
      assert.equal((await read(other)).state, 'open')
      await until('the mails about it', async () =>
        suite.stage.mails.some(({ subject }) => /was revoked/.test(subject)) ? true : null,
      )
      assert.ok(await open())
    })
  },
  {},
  'localhost',
)
