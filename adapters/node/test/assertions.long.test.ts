import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type AuthenticatorAlgorithm,
  assertionDamages,
  coseAlgorithms,
  createSoftwareAuthenticator,
  type SignedCase,
} from '@countersign/conformance/authenticator'
import {
  type AssertionGiven,
  challengeOf,
  checkAssertion,
  ecdsaSignature,
  statementOf,
  verifyAssertion,
  verifyBySubtle,
} from '@countersign/core/webauthn'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import fc from 'fast-check'

const runs = 10_000
const rpId = 'portal.example.com'
const origin = `https://${rpId}`
const algorithms = Object.keys(coseAlgorithms) as AuthenticatorAlgorithm[]

const cases = new Map(
  algorithms.map((algorithm): [AuthenticatorAlgorithm, SignedCase] => {
    const authenticator = createSoftwareAuthenticator({ algorithm, rpId, origin })
    const { credentialId, publicKey } = authenticator
    const expected = {
      ...{ tenantId: 'ten_1', applicationId: 'app_1', sessionId: 's', checkpointId: 'c' },
      ...{ reviewCaseId: 'rc_1', caseVersion: 2, memberId: 'mem_1', decision: 'approved' as const },
      ...{ resumeTokenDigest: null, askedDigest: '2'.repeat(64), commentDigest: null },
      ...{ presentationDigest: '3'.repeat(64), responseDigest: null },
    } as const
    const times = { issuedAt: '2026-11-26T10:00:00.000Z', nonce: 'bm9uY2U' }
    const statement = statementOf(expected, times)
    const signature = { statement, ...authenticator.assert({ challenge: challengeOf(statement) }) }
    const credential = { credentialId, publicKey }
    const given = { expected, signature, credential, rpId, origins: [origin] }
    return [algorithm, { authenticator, statement, given }]
  }),
)

/** Whether the library takes the assertion; it has no statement, only its challenge. */
async function byLibrary({ authenticator }: SignedCase, given: AssertionGiven): Promise<boolean> {
  const { statement, credentialId: id, ...response } = given.signature
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challengeOf(statement),
      expectedOrigin: [...given.origins],
      expectedRPID: given.rpId,
      credential: { id, publicKey: Uint8Array.from(authenticator.coseKey), counter: 0 },
      requireUserVerification: true,
    })
    return verified
  } catch {
    return false
  }
}

/** Names why only one of both takes an assertion; null where nothing explains it. */
function explained(given: AssertionGiven, isLibrary: boolean): string | null {
  const checked = checkAssertion(given)
  const bytesOf = (member: 'authenticatorData' | 'clientDataJSON' | 'signature') =>
    Buffer.from(given.signature[member], 'base64url')
  const flags = bytesOf('authenticatorData')[32] ?? 0
  // Extensions are no part of what is signed for: they are let through unread.
  if (!isLibrary) return flags & 0x80 ? 'the library reads extensions' : null
  if (!checked.ok)
    switch (checked.check) {
      case 'expected':
      case 'statement':
        return 'the library knows no statement'
      case 'credential':
        return 'the library leaves the choice of the credential to its caller'
      case 'cross_origin':
        return 'the library lets frames of other origins ask'
      case 'synced':
        return 'the library takes synced credentials'
      case 'algorithm':
        return 'the library takes COSE keys'
      case 'authenticator_data':
        return flags & 0x40 ? 'the library takes credential data in assertions' : null
      case 'client_data':
        return bytesOf('clientDataJSON').toString().includes('\ufffd')
          ? 'the library takes malformed UTF-8'
          : null
      default:
        return null
    }
  const { key } = checked.left
  if (key.algorithm === 'ES256' && ecdsaSignature(bytesOf('signature')) === null)
    return 'the library takes signatures in BER'
  return null
}

const flip = fc.record({
  member: fc.constantFrom('authenticatorData', 'clientDataJSON', 'signature'),
  at: fc.nat(),
  bit: fc.nat(7),
  /** Whether the authenticator signs what was changed. */
  isSigned: fc.boolean(),
})

describe('verifyAssertion beside the library', () => {
  it(`judges ${runs} assertions alike, or differs for a reason that has a name`, async (t) => {
    const counts = new Map<string, number>()
    const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...algorithms),
        fc.oneof(
          { weight: 1, arbitrary: fc.constant(null) },
          { weight: 3, arbitrary: fc.constantFrom(...Object.keys(assertionDamages)) },
          { weight: 3, arbitrary: flip },
        ),
        async (algorithm, damage) => {
          const signed = cases.get(algorithm)
          assert.ok(signed)
          const given = damaged(signed, damage)
          if (given === null) return count('no such damage')
          const own = verifyAssertion(given)
          const checked = checkAssertion(given)
          const bySubtle = checked.ok && (await verifyBySubtle(crypto.subtle, checked.left))
          assert.equal(bySubtle, own.ok, 'by the runtime')
          const library = await byLibrary(signed, given)
          if (library === own.ok) return count(own.ok ? 'taken by both' : 'refused by both')
          // A key that was swapped in the JWK is another one than the library has.
          const isSwapped = given.credential.publicKey !== signed.authenticator.publicKey
          const reason = isSwapped ? 'the library takes COSE keys' : explained(given, library)
          assert.ok(reason, `${JSON.stringify(own)}, the library: ${library}`)
          count(reason)
        },
      ),
      { numRuns: runs },
    )
    for (const [name, times] of counts) t.diagnostic(`${name}: ${times}`)
    assert.ok((counts.get('taken by both') ?? 0) > runs / 20)
    assert.ok((counts.get('refused by both') ?? 0) > runs / 4)
  })
})

type Flip = typeof flip extends fc.Arbitrary<infer Value> ? Value : never

function damaged(signed: SignedCase, damage: string | Flip | null): AssertionGiven | null {
  const { given, authenticator } = signed
  if (damage === null) {
    const challenge = challengeOf(signed.statement)
    return { ...given, signature: { ...given.signature, ...authenticator.assert({ challenge }) } }
  }
  if (typeof damage === 'string') return assertionDamages[damage]?.(signed)?.given ?? null
  const { member, at, bit, isSigned } = damage
  const bytes = Buffer.from(given.signature[member], 'base64url')
  const place = at % bytes.length
  bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
  const signature = { ...given.signature, [member]: bytes.toString('base64url') }
  if (!isSigned || member === 'signature') return { ...given, signature }
  const { authenticatorData, clientDataJSON } = signature
  const again = authenticator.signClient(authenticatorData, clientDataJSON)
  return { ...given, signature: { ...signature, signature: again } }
}
