import assert from 'node:assert/strict'
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { newMember, plainAuthenticators } from '@countersign/core/testing'
import { challengeOf } from '@countersign/core/webauthn'
import type { Authenticators } from '../../base/ports/authenticators.ts'
import { codeOf, newAuthenticator, signedWorld } from '../signed-world.ts'

const approve = { decision: 'approved' } as const

const native: Authenticators = {
  ...plainAuthenticators(),
  verifySignature: ({ publicKey, signed, signature }) =>
    verify(
      'sha256',
      signed,
      createPublicKey({ key: publicKey as JsonWebKey, format: 'jwk' }),
      signature,
    ),
}
/** By which code the service verifies a signature. */
const verifiers = [
  ['EdDSA', 'the primitives', plainAuthenticators()],
  ['ES256', 'portable code', plainAuthenticators()],
  ['ES256', 'the code of its host', native],
] as const

/** The same bytes but for the last one. */
function damaged(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return bytes.toString('base64url')
}

const checkOf = (result: { ok: true } | { ok: false; refusal: { facts?: object } }) =>
  result.ok ? null : (result.refusal.facts as { check?: string } | undefined)?.check

describe('what no key of the member signed', () => {
  for (const [algorithm, by, authenticators] of verifiers) {
    it(`decides nothing, by ${algorithm} verified by ${by}`, async () => {
      const world = await signedWorld(authenticators)
      const { service, ada, enrol, openCase, signatureOf } = world
      const key = newAuthenticator(algorithm)
      unwrap(await enrol(key))
      const seen = { ...(await openCase('checkpoint')), ...approve }
      const right = await signatureOf(key, seen)
      const other = newAuthenticator(algorithm)
      const { signature } = other.assert({ challenge: challengeOf(right.statement) })
      const decide = (change: object) =>
        service.reviewCases.decide(ada, { ...seen, signature: { ...right, ...change } })
      assert.equal(checkOf(await decide({ signature: damaged(right.signature) })), 'signature')
      assert.equal(checkOf(await decide({ signature })), 'signature')
      unwrap(await decide({}))
    })

    it(`changes no authenticators, by ${algorithm} verified by ${by}`, async () => {
      const world = await signedWorld(authenticators)
      const { service, ada, enrol, assertionFor } = world
      const key = newAuthenticator(algorithm)
      const { authenticatorId } = unwrap(await enrol(key))
      const right = await assertionFor(key, { change: 'remove', subject: authenticatorId })
      const other = newAuthenticator(algorithm)
      const { signature } = other.assert({ challenge: challengeOf(right.statement) })
      const revoke = (change: object) =>
        service.authenticators.revoke(ada, {
          ...{ authenticatorId, address: '192.0.2.1' },
          assertion: { ...right, ...change },
        })
      assert.equal(checkOf(await revoke({ signature: damaged(right.signature) })), 'signature')
      assert.equal(checkOf(await revoke({ signature })), 'signature')
      unwrap(await revoke({}))
    })
  }

  it('decides no other version of the case, which the member has again', async () => {
    const { service, ada, enrol, openCase, signatureOf } = await signedWorld()
    const key = newAuthenticator()
    unwrap(await enrol(key))
    const bea = await newMember(service, ada.tenantId, 'bea', 'CustomerAdmin')
    const seen = await openCase('checkpoint')
    const signature = await signatureOf(key, { ...seen, ...approve })
    const { reviewCaseId } = seen
    const hers = { reviewCaseId, caseVersion: seen.caseVersion, reviewerId: bea.memberId }
    const passed = unwrap(await service.reviewCases.reassign(ada, hers))
    const back = { reviewCaseId, caseVersion: passed.caseVersion, reviewerId: ada.memberId }
    const { caseVersion } = unwrap(await service.reviewCases.reassign(bea, back))
    const given = { ...seen, ...approve, signature }
    assert.equal(codeOf(await service.reviewCases.decide(ada, given)), 'version_conflict')
    const later = await service.reviewCases.decide(ada, { ...given, caseVersion })
    assert.equal(checkOf(later), 'expected')
  })
})
