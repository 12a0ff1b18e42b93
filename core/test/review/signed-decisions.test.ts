import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, createService, unwrap } from '@countersign/core'
import { digestOf } from '@countersign/core/canonical'
import { newMember, plainPorts } from '@countersign/core/testing'
import { challengeOf, verifyAssertion } from '@countersign/core/webauthn'
import {
  type Authenticator,
  codeOf,
  newAuthenticator,
  origin,
  signedWorld,
} from '../signed-world.ts'

const approve = { decision: 'approved' } as const

/** An authenticator that counts no uses, as passkeys of several devices do. */
function uncounted(): Authenticator {
  const authenticator = newAuthenticator()
  return {
    ...authenticator,
    register: (parts) => authenticator.register({ ...parts, signCount: 0 }),
    assert: (parts) => authenticator.assert({ ...parts, signCount: 0 }),
  }
}

/** Enrols one more authenticator, by an assertion of one that is there. */
async function enrolAnother(
  { service, ada, finish, assertionFor }: Awaited<ReturnType<typeof signedWorld>>,
  signer: ReturnType<typeof newAuthenticator>,
): Promise<void> {
  const assertion = await assertionFor(signer, { change: 'add' })
  const given = { use: 'signing' as const, address: '192.0.2.1', assertion }
  const { options } = unwrap(await service.authenticators.startRegistration(ada, given))
  unwrap(await finish(newAuthenticator(), options))
}

describe('a signed decision', () => {
  for (const algorithm of ['EdDSA', 'ES256'] as const)
    it(`is the reviewer's own, by ${algorithm}, and is told with what verifies it`, async () => {
      const { service, ada, application, enrol, openCase, signatureOf } = await signedWorld()
      const authenticator = newAuthenticator(algorithm)
      unwrap(await enrol(authenticator))
      const seen = await openCase('checkpoint')
      const choice = {
        ...seen,
        decision: 'response_submitted' as const,
        comment: 'fine',
        response: { limit: 3 },
      }
      const signature = await signatureOf(authenticator, choice)
      const decided = unwrap(await service.reviewCases.decide(ada, { ...choice, signature }))
      const { reviewCaseId } = seen
      const read = unwrap(await service.reviewCases.read(application, { reviewCaseId }))
      assert.deepEqual(read.decisionSignature, decided.decisionSignature)
      const shown = read.decisionSignature
      assert.ok(shown)
      const { statement, responseNonce } = shown
      assert.equal(statement.responseDigest, digestOf([responseNonce, choice.response]))
      assert.equal(statement.askedDigest, digestOf({ action: 'pay', amount: 'checkpoint' }))
      assert.equal(statement.resumeTokenDigest, digestOf('token'))
      assert.equal(statement.caseVersion, read.caseVersion - 1)
      const { keys } = unwrap(await service.reviewerKeys.list(application, {}))
      const [key] = keys
      assert.deepEqual([key?.kid, key?.memberId], [authenticator.credentialId, ada.memberId])
      const { statementVersion: _, statementType: __, issuedAt, nonce, ...expected } = statement
      assert.ok(issuedAt && nonce)
      const credential = { credentialId: authenticator.credentialId, publicKey: key }
      const given = { expected, signature: shown, credential, rpId: 'portal.example' }
      assert.deepEqual(verifyAssertion({ ...given, origins: [origin] }), { ok: true })
    })

  it('is required of who ever enrolled, and of tiers as the application asks', async () => {
    for (const signedDecisions of ['optional', 'elevated', 'required'] as const)
      for (const reviewTier of ['standard', 'high', 'urgent'] as const)
        for (const signs of [false, true]) {
          const { service, ada, applicationId, enrol, openCase, signatureOf } = await signedWorld()
          const rule = { signedDecisions, refuseSynced: false }
          unwrap(await service.signedDecisions.set(ada, { applicationId, ...rule }))
          const authenticator = newAuthenticator()
          if (signs) unwrap(await enrol(authenticator))
          const seen = await openCase('checkpoint', { reviewTier })
          const isRequired =
            signs ||
            signedDecisions === 'required' ||
            (signedDecisions === 'elevated' && reviewTier !== 'standard')
          const unsigned = await service.reviewCases.decide(ada, { ...seen, ...approve })
          assert.equal(codeOf(unsigned), isRequired ? 'signature_required' : null)
          if (unsigned.ok) assert.equal(unsigned.value.decisionSignature, null)
          if (!signs) continue
          const signature = await signatureOf(authenticator, { ...seen, ...approve })
          const signed = { ...seen, ...approve, signature }
          assert.equal(codeOf(await service.reviewCases.decide(ada, signed)), null)
        }
  })

  it('is refused for another case, decision, comment, nonce or time, and names the check', async () => {
    const { clock, service, ada, enrol, openCase, signatureOf } = await signedWorld()
    const authenticator = newAuthenticator()
    unwrap(await enrol(authenticator))
    const [seen, other] = [await openCase('one'), await openCase('two')]
    const signature = await signatureOf(authenticator, { ...seen, ...approve })
    const check = async (given: object) => {
      const asked = { ...seen, ...approve, signature, ...given }
      const refused = await service.reviewCases.decide(ada, asked)
      return refused.ok ? 'ok' : [refused.refusal.code, refused.refusal.facts?.check]
    }
    const invalid = (name: string) => ['signature_invalid', name]
    assert.deepEqual(await check({ decision: 'rejected' }), invalid('expected'))
    assert.deepEqual(await check({ comment: 'more' }), invalid('expected'))
    assert.deepEqual(await check(other), invalid('nonce'))
    const forged = (change: object) => ({
      signature: { ...signature, statement: { ...signature.statement, ...change } },
    })
    assert.deepEqual(await check(forged({ nonce: 'AAAA' })), invalid('nonce'))
    assert.deepEqual(
      await check(forged({ issuedAt: '2026-11-21T00:00:00.001Z' })),
      invalid('nonce'),
    )
    const noUser = authenticator.assert({ challenge: 'AAAA', flags: 1 })
    assert.deepEqual(await check({ signature: { ...signature, ...noUser } }), invalid('challenge'))
    await clock.advance(5 * 60_000)
    assert.deepEqual(await check({}), invalid('nonce'))
  })

  it('is refused of a sign count that did not rise, of a revoked key, and of one for signing in', async () => {
    const world = await signedWorld()
    const { service, ada, enrol, finish, openCase, signatureOf, assertionFor } = world
    const revoke = await world.otherAdmin()
    const authenticator = newAuthenticator()
    const { authenticatorId } = unwrap(await enrol(authenticator))
    const passkey = newAuthenticator()
    const assertion = await assertionFor(authenticator, { change: 'add' })
    const begun = await service.authenticators.startRegistration(ada, {
      ...{ use: 'sign_in', assertion, address: '192.0.2.1' },
    })
    unwrap(await finish(passkey, unwrap(begun).options, ada, 'sign_in'))
    const decide = async (by: typeof authenticator, signCount?: number) => {
      const seen = await openCase(`checkpoint ${signCount}`)
      const { statement, nonces } = await signatureOf(authenticator, { ...seen, ...approve })
      const parts = { challenge: challengeOf(statement), ...(signCount && { signCount }) }
      const signature = { statement, nonces, ...by.assert(parts) }
      return service.reviewCases.decide(ada, { ...seen, ...approve, signature })
    }
    assert.equal(codeOf(await decide(passkey)), 'authenticator_revoked')
    assert.equal(codeOf(await decide(authenticator, 40)), null)
    assert.equal(codeOf(await decide(authenticator, 39)), 'authenticator_cloned')
    const seen = await openCase('last')
    const signature = await signatureOf(authenticator, { ...seen, ...approve })
    unwrap(await revoke(authenticatorId))
    const late = await service.reviewCases.decide(ada, { ...seen, ...approve, signature })
    assert.equal(codeOf(late), 'authenticator_revoked')
    assert.equal(
      codeOf(await service.reviewCases.decide(ada, { ...seen, ...approve })),
      'signature_required',
    )
  })

  for (const [counts, isLast] of [
    [true, true],
    [false, true],
    [false, false],
  ])
    it(`comes before the revocation of its key, or not at all, ${counts ? '' : 'also of one that counts nothing, '}${isLast ? '' : 'with another left, '}however the two meet`, async () => {
      const outcomes = new Set<string | null>()
      for (let lead = -60; lead <= 60; lead += 15) {
        const world = await signedWorld()
        const { service, ada, enrol, openCase, signatureOf, otherAdmin } = world
        const authenticator = counts ? newAuthenticator() : uncounted()
        const { authenticatorId } = unwrap(await enrol(authenticator))
        if (!isLast) await enrolAnother(world, authenticator)
        // A use just before, which leaves nothing to record of the next one where nothing is counted.
        const before = { ...(await openCase('before')), ...approve }
        const first = await signatureOf(authenticator, before)
        unwrap(await service.reviewCases.decide(ada, { ...before, signature: first }))
        const seen = await openCase('checkpoint')
        const signature = await signatureOf(authenticator, { ...seen, ...approve })
        const after = async <T>(ticks: number, run: () => Promise<T>) => {
          for (let tick = 0; tick < ticks; tick++) await null
          return run()
        }
        const revoke = await otherAdmin()
        const [decided] = await Promise.all([
          after(lead, () => service.reviewCases.decide(ada, { ...seen, ...approve, signature })),
          after(-lead, () => revoke(authenticatorId)),
        ])
        outcomes.add(codeOf(decided))
        const { entries } = unwrap(await service.auditLog.list(ada, {})) as {
          entries: readonly { readonly action: string; readonly position: number }[]
        }
        const at = (action: string, nth: number) =>
          entries
            .filter((entry) => entry.action === action)
            .map(({ position }) => position)
            .sort((a, b) => a - b)[nth]
        const [signedAt, revokedAt] = [at('review_case.decided', 1), at('authenticator.revoked', 0)]
        assert.ok(revokedAt !== undefined)
        assert.equal(signedAt !== undefined, decided.ok)
        assert.ok(signedAt === undefined || signedAt < revokedAt)
      }
      // Both ways came by.
      assert.deepEqual(outcomes, new Set([null, 'authenticator_revoked']))
    })

  it('is taken once of two that were signed on the same version, as in two tabs', async () => {
    const { service, ada, enrol, openCase, signatureOf } = await signedWorld()
    const authenticator = newAuthenticator()
    unwrap(await enrol(authenticator))
    const seen = await openCase('checkpoint')
    const tabs = []
    for (const decision of ['approved', 'rejected'] as const) {
      const choice = { ...seen, decision }
      tabs.push({ ...choice, signature: await signatureOf(authenticator, choice) })
    }
    const answers = await Promise.all(tabs.map((each) => service.reviewCases.decide(ada, each)))
    const [decided, ...others] = answers.filter(({ ok }) => ok)
    assert.ok(decided?.ok && others.length === 0)
    const { decision, decisionSignature } = decided.value
    assert.equal(decisionSignature?.statement.decision, decision)
    assert.deepEqual(answers.map(codeOf).filter(Boolean), ['version_conflict'])
  })

  it('is refused by the nonce of another member, and as an answer to a sign-in', async () => {
    const { service, ada, enrol, openCase, signatureOf } = await signedWorld()
    const authenticator = newAuthenticator()
    unwrap(await enrol(authenticator))
    const bea = await newMember(service, ada.tenantId, 'bea', 'CustomerAdmin')
    unwrap(await enrol(newAuthenticator(), bea))
    const { reviewCaseId, caseVersion, presentationDigest } = await openCase('checkpoint')
    const hers = { reviewCaseId, caseVersion, reviewerId: bea.memberId }
    const passed = unwrap(await service.reviewCases.reassign(ada, hers))
    const choice = { reviewCaseId, presentationDigest, ...approve }
    const asBea = { ...choice, caseVersion: passed.caseVersion }
    const { statement: other } = unwrap(await service.reviewCases.stateDecision(bea, asBea))
    const back = { ...hers, caseVersion: passed.caseVersion, reviewerId: ada.memberId }
    const own = unwrap(await service.reviewCases.reassign(bea, back))
    const seen = { ...choice, caseVersion: own.caseVersion }
    const signature = await signatureOf(authenticator, seen)
    const { nonce, issuedAt } = other
    const statement = { ...signature.statement, nonce, issuedAt }
    const begun = unwrap(await service.auth.startPasskey({}))
    for (const [check, change] of [
      ['nonce', { statement, ...authenticator.assert({ challenge: challengeOf(statement) }) }],
      ['challenge', authenticator.assert({ challenge: challengeOf(begun.statement) })],
    ] as const) {
      const given = { ...seen, signature: { ...signature, ...change } }
      const refused = await service.reviewCases.decide(ada, given)
      assert.equal(refused.ok ? null : refused.refusal.facts?.check, check)
    }
    unwrap(await service.reviewCases.decide(ada, { ...seen, signature }))
  })

  it('writes the use of an authenticator that counts nothing once a minute', async () => {
    const { service, ada, clock, enrol, openCase, signatureOf } = await signedWorld()
    const authenticator = uncounted()
    unwrap(await enrol(authenticator))
    const start = clock.now()
    const usedAfter = async (ms: number) => {
      const seen = { ...(await openCase(`after ${ms}`)), ...approve }
      const signature = await signatureOf(authenticator, seen)
      await clock.advance(ms)
      unwrap(await service.reviewCases.decide(ada, { ...seen, signature }))
      const { authenticators } = unwrap(await service.authenticators.list(ada, {}))
      return Date.parse(authenticators[0]?.lastUsedAt ?? '') - start
    }
    assert.equal(await usedAfter(0), 0)
    assert.equal(await usedAfter(59_999), 0)
    assert.equal(await usedAfter(1), 60_000)
  })

  it("costs no read more than one without a signature: its member's keys come with the case", async (t) => {
    const { service, store, ada, enrol, openCase, signatureOf } = await signedWorld()
    const read = t.mock.method(store, 'read')
    const costOf = async (choice: Parameters<typeof service.reviewCases.decide>[1]) => {
      const before = read.mock.callCount()
      unwrap(await service.reviewCases.decide(ada, choice))
      return read.mock.callCount() - before
    }
    const unsigned = await costOf({ ...(await openCase('unsigned')), ...approve })
    assert.ok(unsigned > 0)
    const authenticator = uncounted()
    unwrap(await enrol(authenticator))
    const choice = { ...(await openCase('signed')), ...approve }
    const signature = await signatureOf(authenticator, choice)
    assert.equal(await costOf({ ...choice, signature }), unsigned)
  })

  it('is taken by a process that did not issue its statement, since nothing is stored of it', async () => {
    const { clock, store, ada, enrol, openCase, signatureOf } = await signedWorld()
    const authenticator = newAuthenticator()
    unwrap(await enrol(authenticator))
    const seen = await openCase('checkpoint')
    const contents = () => JSON.stringify(collections.map((each) => store.rows(each)))
    const before = contents()
    const signature = await signatureOf(authenticator, { ...seen, ...approve })
    assert.equal(contents(), before)
    const other = createService({
      ports: { ...plainPorts(2), store, clock },
      ingestUrl: 'https://ingest.example',
      portalUrl: origin,
    })
    const decided = await other.reviewCases.decide(ada, { ...seen, ...approve, signature })
    assert.equal(codeOf(decided), null)
  })

  it('is refused of a credential that may be copied, where the application asks for it', async () => {
    const { service, ada, applicationId, enrol, openCase, signatureOf } = await signedWorld()
    const authenticator = newAuthenticator()
    unwrap(await enrol(authenticator))
    const rule = { signedDecisions: 'optional', refuseSynced: true } as const
    unwrap(await service.signedDecisions.set(ada, { applicationId, ...rule }))
    const seen = await openCase('checkpoint')
    const signature = await signatureOf(authenticator, { ...seen, ...approve })
    const synced = authenticator.assert({
      challenge: challengeOf(signature.statement),
      flags: 1 | 4 | 8,
    })
    const given = { ...seen, ...approve, signature: { ...signature, ...synced } }
    const refused = await service.reviewCases.decide(ada, given)
    assert.equal(refused.ok ? null : refused.refusal.facts?.check, 'synced')
  })
})
