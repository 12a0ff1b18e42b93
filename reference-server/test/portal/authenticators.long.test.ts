import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createSoftwareAuthenticator } from '@countersign/conformance/authenticator'
import { type MemberActor, unwrap } from '@countersign/core'
import { challengeOf } from '@countersign/core/webauthn'
import { pinReviewers } from '@countersign/receiver-kit/reviewers'
import type { Page } from 'playwright-core'
import { casesOf, choose, seeAll, settle } from './case-steps.ts'
import { assertLooks } from './every-look.ts'
import { otherChanges, otherStatements, type Stated } from './other-statements.ts'
import { addAuthenticator, prepareDecision } from './signing-steps.ts'
import { describePortal } from './suite.ts'
import { until } from './until.ts'
import { virtualAuthenticator } from './virtual-authenticator.ts'

describePortal(
  'authenticators of a reviewer',
  (suite) => {
    const { pageAs, tolerate } = suite
    const { open, read, claimed } = casesOf(suite)

    async function decideOn(page: Page, reviewCaseId: string, approves = false): Promise<void> {
      await (await prepareDecision(page, reviewCaseId, approves)).click()
    }

    it('are added, sign a decision, and are renamed; another statement is not signed', async () => {
      const page = await pageAs('reviewer', { path: '/me' })
      const { verify } = await virtualAuthenticator(page)
      await addAuthenticator(page, 'Blue key')
      await assertLooks(page, 'authenticators')

      const signed = await claimed()
      await decideOn(page, signed)
      await page.getByRole('heading', { name: 'Rejected' }).waitFor()
      const { decisionSignature } = await read(signed)
      const { memberId } = suite.stage.members.reviewer
      assert.equal(decisionSignature?.statement.memberId, memberId)

      // A service that asks for the signature of anything else gets none, and no decision.
      const other = await claimed()
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/decide')) sent.push(request.url())
      })
      const send = await prepareDecision(page, other, false)
      for (const [name, change] of Object.entries(otherStatements)) {
        await page.route('**/decision-statement', async (route) => {
          const answer = await route.fetch()
          await route.fulfill({ response: answer, json: change((await answer.json()) as Stated) })
        })
        const answered = page.waitForResponse('**/decision-statement')
        await send.click()
        await answered
        const isOfTime = name.startsWith('dated ')
        await page
          .getByText(isOfTime ? 'The service dated the decision' : 'asked to sign something else')
          .waitFor()
        await settle(page)
        assert.deepEqual(sent, [], name)
        await page.unroute('**/decision-statement')
      }
      assert.equal((await read(other)).state, 'open')

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

    it('approve what an application asked, and nothing else, whoever has all of the service', async () => {
      const page = await pageAs('secondReviewer', { path: '/me' })
      await virtualAuthenticator(page)
      await addAuthenticator(page, 'Red key')
      const { application, origin, members, service, admin, tenantId, applicationId } = suite.stage
      const { memberId } = members.secondReviewer
      const { keys } = await application.reviewerKeys.list()
      const pinned = keys.filter((key) => key.memberId === memberId).map((key) => ({ ...key }))
      const { hostname: rpId } = new URL(origin)
      const reviewers = pinReviewers({
        ...{ tenantId, applicationId },
        ...{ rpId, origins: [origin], keys: pinned },
      })
      const asked = { action: 'pay', amount: '1200 EUR', to: 'ACME GmbH' }
      const checkpoint = { sessionId: 'ses_signed', checkpointId: 'before-payment' }
      const question = { ...checkpoint, resumeToken: 'opaque', presentation: asked }
      let tell = (_: string) => {}
      const opened = new Promise<string>((resolve) => {
        tell = resolve
      })
      const outcome = application.reviewCases.request(
        { ...question, reasonCategory: 'high_risk_action' },
        { reviewers, onOpen: ({ reviewCaseId }) => tell(reviewCaseId) },
      )
      const reviewCaseId = await opened
      const actor: MemberActor = {
        ...{ kind: 'member', tenantId: suite.stage.tenantId, memberId },
        ...{ role: 'CustomerAuditor', permissions: ['Review Cases'] },
      }
      unwrap(await service.reviewCases.claim(actor, { reviewCaseId }))
      await decideOn(page, reviewCaseId, true)
      await page.getByRole('heading', { name: 'Approved' }).waitFor()
      assert.equal((await outcome).approved, true)

      const review = await application.reviewCases.read({ reviewCaseId })
      const genuine = {
        ...review,
        ...checkpoint,
        resumeToken: 'opaque',
        decision: 'approved' as const,
      }
      const decided = (change: object = {}) => ({ ...genuine, ...change }) as typeof genuine
      const times = { receivedAt: Date.now() }
      assert.equal(await reviewers.faultOf(decided(), question, times), null)
      const signature = review.decisionSignature
      assert.ok(signature)
      const { statement } = signature
      const signed = (change: object) => decided({ decisionSignature: { ...signature, ...change } })
      const stated = (change: object) => signed({ statement: { ...statement, ...change } })
      // Who has the database enrols a key of their own, and has the service sign what they like.
      const own = createSoftwareAuthenticator({ algorithm: 'ES256', rpId, origin })
      const slipped = {
        publicKey: own.publicKey,
        ...own.assert({ challenge: challengeOf(statement) }),
      }
      const forged: Readonly<Record<string, ReturnType<typeof decided>>> = {
        'no signature': decided({ decisionSignature: null }),
        'another case': decided({ reviewCaseId: 'rc_other' }),
        'another version': decided({ caseVersion: review.caseVersion + 1 }),
        'another checkpoint': decided({ checkpointId: 'before-transfer' }),
        'another AI run': decided({ sessionId: 'ses_other' }),
        'another organization': decided({ tenantId: 'ten_other' }),
        'another application': decided({ applicationId: 'app_other' }),
        'another resume token': decided({ resumeToken: 'other' }),
        'another decision': decided({ decision: 'rejected' }),
        'another decision, said by the statement': decided({
          ...{ decision: 'rejected' },
          decisionSignature: { ...signature, statement: { ...statement, decision: 'rejected' } },
        }),
        'another presentation': decided({ presentationDigest: '0'.repeat(64) }),
        'a response that nobody gave': decided({ response: { amount: 1 } }),
        'another member': stated({ memberId: members.reviewer.memberId }),
        'another time of issue': stated({ issuedAt: '2027-01-01T00:00:00.000Z' }),
        'a key that was slipped in': signed(slipped),
        'a key that was slipped in, under the id of a pinned one': signed({
          ...slipped,
          credentialId: signature.credentialId,
        }),
      }
      for (const [name, forgery] of Object.entries(forged))
        assert.notEqual(await reviewers.faultOf(forgery, question, times), null, name)
      const harmless = { ...asked, amount: '1 EUR' }
      assert.notEqual(
        await reviewers.faultOf(decided(), { ...question, presentation: harmless }, times),
        null,
        'asked something else',
      )

      // A decision that the service has written down for a member who signs nothing.
      const checkpointId = 'before-transfer'
      const unsigned = application.reviewCases.request(
        { ...question, checkpointId, reasonCategory: 'high_risk_action' },
        {
          reviewers,
          onOpen: async (other) => {
            const given = { reviewCaseId: other.reviewCaseId }
            const { caseVersion, presentationDigest } = unwrap(
              await service.reviewCases.claim(admin, given),
            )
            const choice = {
              caseVersion,
              presentationDigest: presentationDigest ?? '',
              decision: 'approved',
            } as const
            unwrap(
              await service.reviewCases.decide(admin, { ...given, ...choice, comment: 'Yes.' }),
            )
          },
        },
      )
      await assert.rejects(unsigned, { code: 'decision_not_signed' })
    })

    it('sign for it when fewer decisions must be signed, and sign no decision instead', async () => {
      const page = await pageAs('admin', { path: '/me', bypassCSP: true })
      await virtualAuthenticator(page)
      await addAuthenticator(page, 'Admin key')
      const { applicationId, service, admin, mails } = suite.stage
      const rule = async () =>
        unwrap(await service.signedDecisions.read(admin, { applicationId })).signedDecisions
      await page.goto(`/applications/${applicationId}`)
      const change = page.getByRole('button', { name: 'Change signatures' })
      const dialog = page.getByRole('dialog')
      const save = async (mode: string) => {
        await change.click()
        await dialog.getByLabel('Decisions are signed').selectOption(mode)
        await dialog.getByRole('button', { name: 'Save' }).click()
      }
      await save('required')
      await page.getByText('on all cases', { exact: true }).waitFor()
      await assertLooks(page, 'application-signatures')
      assert.equal(await rule(), 'required')

      // A service that has a decision signed in the place of the change, or another change, gets no signature.
      const put: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'PUT') put.push(request.url())
      })
      let send = () => save('elevated')
      for (const [name, change] of Object.entries(otherChanges)) {
        await page.route('**/change-statement', async (route) => {
          const answer = await route.fetch()
          await route.fulfill({ response: answer, json: change((await answer.json()) as Stated) })
        })
        const answered = page.waitForResponse('**/change-statement')
        await send()
        send = () => dialog.getByRole('button', { name: 'Save' }).click()
        await answered
        await dialog.getByText('The service asked to sign something else').waitFor()
        await settle(page)
        assert.deepEqual(put, [], name)
        await page.unroute('**/change-statement')
      }
      assert.equal(await rule(), 'required')

      // Nor does one do that was added by password just now; a day later it does.
      tolerate(/40[19]/)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('of one that was added 24 hours before').first().waitFor()
      assert.equal(await rule(), 'required')
      await suite.stage.advance(24 * 3_600_000)
      const { email, password } = suite.stage.members.admin
      const login = { data: { email, password } }
      assert.ok((await page.context().request.post('/v1/auth/login', login)).ok())
      await page.goto(`/applications/${applicationId}`)
      await save('elevated')
      await page.getByText('on all cases of the tiers high and urgent').waitFor()
      assert.equal(await rule(), 'elevated')
      await until('the mails about it', async () =>
        mails.some(({ subject }) => /fewer signatures/.test(subject)) ? true : null,
      )

      const auditor = await pageAs('auditor', { path: `/applications/${applicationId}` })
      await auditor.getByText('on all cases of the tiers high and urgent').waitFor()
      assert.equal(await auditor.getByRole('button', { name: 'Change signatures' }).count(), 0)

      // It is lost: nobody else is an admin, and the page of members revokes none of theirs.
      await page.goto('/members')
      const own = page.getByRole('row').filter({ hasText: email })
      await own.getByRole('button', { name: /uthenticators/ }).click()
      await page.getByRole('link', { name: 'Revoke Admin key on your own page' }).waitFor()
      await page.goto('/me')
      await page.getByRole('button', { name: 'Revoke' }).click()
      await dialog.getByText('All of yours are lost').click()
      await dialog.getByLabel('Password').fill('another password')
      await dialog.getByRole('button', { name: 'Revoke it by the password' }).click()
      await dialog.getByText('don’t fit').first().waitFor()
      await dialog.getByLabel('Password').fill(password)
      await dialog.getByRole('button', { name: 'Revoke it by the password' }).click()
      await page.getByText('Admin key is revoked.').waitFor()
      await page.getByText('All of yours are revoked.').waitFor()
    })
  },
  {},
  'localhost',
)
