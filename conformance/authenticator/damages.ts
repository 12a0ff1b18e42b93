import type { AssertionCheck, AssertionGiven, DecisionStatement } from '@countersign/core/webauthn'
import { challengeOf } from '@countersign/core/webauthn'
import {
  type AssertionParts,
  authenticatorFlags,
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from './software-authenticator.ts'

/** A right assertion of an authenticator, and all that damage to it needs. */
export interface SignedCase {
  readonly authenticator: SoftwareAuthenticator
  readonly statement: DecisionStatement
  readonly given: AssertionGiven
}

/** What is verified of a damaged assertion, and the check that must fail. */
export interface DamagedAssertion {
  readonly check: AssertionCheck
  readonly given: AssertionGiven
}

/** Damages a right assertion; null where its algorithm has no such damage. */
export type AssertionDamage = (signed: SignedCase) => DamagedAssertion | null

const { userPresent, userVerified, eligible, backedUp, attested, extended } = authenticatorFlags
const present = userPresent | userVerified

/** A fresh assertion of the same statement with other parts, validly signed. */
function asserted(check: AssertionCheck, parts: Partial<AssertionParts>): AssertionDamage {
  return ({ authenticator, statement, given }) => {
    const made = authenticator.assert({ challenge: challengeOf(statement), ...parts })
    return { check, given: { ...given, signature: { statement, ...made } } }
  }
}

/** Another statement than the one that was signed. */
function stated(check: AssertionCheck, change: object): AssertionDamage {
  return ({ given }) => {
    const statement = { ...given.signature.statement, ...change }
    return { check, given: { ...given, signature: { ...given.signature, statement } } }
  }
}

/** A statement that the authenticator signed, other than what is expected. */
function signedStatement(change: object): AssertionDamage {
  return ({ authenticator, statement, given }) => {
    const other = { ...statement, ...change }
    const made = authenticator.assert({ challenge: challengeOf(other) })
    return { check: 'expected', given: { ...given, signature: { statement: other, ...made } } }
  }
}

type BytesOf = 'authenticatorData' | 'clientDataJSON' | 'signature'

/** Other bytes in a member, under the signature that was made. */
function changed(
  check: AssertionCheck,
  member: BytesOf,
  change: (bytes: Buffer) => Uint8Array | null,
): AssertionDamage {
  return ({ given }) => {
    const bytes = change(Buffer.from(given.signature[member], 'base64url'))
    if (bytes === null) return null
    const text = Buffer.from(bytes).toString('base64url')
    return { check, given: { ...given, signature: { ...given.signature, [member]: text } } }
  }
}

function flipped(at: number): (bytes: Buffer) => Uint8Array {
  return (bytes) => {
    const copy = Buffer.from(bytes)
    const place = at < 0 ? copy.length + at : at
    copy[place] = (copy[place] ?? 0) ^ 1
    return copy
  }
}

/** As `changed`, and signed again: the damage that an authenticator would make itself. */
function resigned(
  check: AssertionCheck,
  member: 'authenticatorData' | 'clientDataJSON',
  change: (bytes: Buffer) => Uint8Array,
): AssertionDamage {
  return (signed) => {
    const damaged = changed(check, member, change)(signed)
    if (damaged === null) return null
    const { authenticatorData, clientDataJSON } = damaged.given.signature
    const signature = signed.authenticator.signClient(authenticatorData, clientDataJSON)
    return {
      check,
      given: { ...damaged.given, signature: { ...damaged.given.signature, signature } },
    }
  }
}

function keyed(change: (jwk: Readonly<Record<string, unknown>>) => unknown): AssertionDamage {
  return ({ authenticator, given }) => ({
    check: 'algorithm',
    given: {
      ...given,
      credential: { ...given.credential, publicKey: change(authenticator.publicKey) },
    },
  })
}

const otherDigest = '0'.repeat(64)
const otherKinds = { EdDSA: 'ES256', ES256: 'RS256', RS256: 'EdDSA' } as const

/** Damage of each kind by name: of statement, client data, authenticator data, signature and key. */
export const assertionDamages: Readonly<Record<string, AssertionDamage>> = {
  'another organization': signedStatement({ tenantId: 'ten_other' }),
  'another application': signedStatement({ applicationId: 'app_other' }),
  'another AI run': signedStatement({ sessionId: 'session-other' }),
  'another checkpoint': signedStatement({ checkpointId: 'checkpoint-other' }),
  'another resume token': signedStatement({ resumeTokenDigest: otherDigest }),
  'no resume token': signedStatement({ resumeTokenDigest: null }),
  'another case': signedStatement({ reviewCaseId: 'rc_other' }),
  'another version of the case': signedStatement({ caseVersion: 9 }),
  'another question': signedStatement({ askedDigest: otherDigest }),
  'a case that a policy alone opened': signedStatement({ askedDigest: null }),
  'another presentation': signedStatement({ presentationDigest: otherDigest }),
  'another decision': signedStatement({ decision: 'rejected' }),
  'another comment': signedStatement({ commentDigest: otherDigest }),
  'another response': signedStatement({ responseDigest: otherDigest }),
  'another member': signedStatement({ memberId: 'mem_other' }),
  'a decision that was changed later': stated('expected', { decision: 'rejected' }),
  'another time of issue': stated('challenge', { issuedAt: '2027-01-01T00:00:00.000Z' }),
  'another nonce': stated('challenge', { nonce: 'b3RoZXI' }),
  'another version of statements': stated('statement', { statementVersion: '2.0' }),
  'another type of statement': stated('statement', { statementType: 'sign-in' }),
  'a member more in the statement': stated('statement', { extra: 1 }),
  'a time of issue that is none': stated('statement', { issuedAt: 'today' }),
  'the challenge of a sign-in': asserted('challenge', { challenge: 'c2lnbi1pbg' }),
  'an empty challenge': asserted('challenge', { challenge: '' }),
  'the type of a registration': asserted('type', { type: 'webauthn.create' }),
  'another origin': asserted('origin', { origin: 'https://portal.example.net' }),
  'the origin without encryption': asserted('origin', { origin: 'http://portal.example.com' }),
  'another port': asserted('origin', { origin: 'https://portal.example.com:8443' }),
  'a frame of another origin': asserted('cross_origin', { client: { crossOrigin: true } }),
  'a page around it': asserted('cross_origin', { client: { topOrigin: 'https://a.example' } }),
  'another relying party': asserted('rp_id', { rpId: 'example.net' }),
  'the parent domain': asserted('rp_id', { rpId: 'example.com' }),
  'no user': asserted('user_present', { flags: userVerified }),
  'an unverified user': asserted('user_verified', { flags: userPresent }),
  'no flags': asserted('user_present', { flags: 0 }),
  'a backup that can not be': asserted('authenticator_data', { flags: present | backedUp }),
  'a synced credential where that is refused': ({ authenticator, statement, given }) => {
    const challenge = challengeOf(statement)
    const made = authenticator.assert({ challenge, flags: present | eligible | backedUp })
    const signature = { statement, ...made }
    return { check: 'synced', given: { ...given, refuseSynced: true, signature } }
  },
  'credential data in an assertion': asserted('authenticator_data', { flags: present | attested }),
  'extensions that are announced and missing': asserted('authenticator_data', {
    flags: present | extended,
  }),
  'bytes that no flag announces': asserted('authenticator_data', { extensions: Buffer.of(0xa0) }),
  'authenticator data cut short': resigned('authenticator_data', 'authenticatorData', (bytes) =>
    bytes.subarray(0, 36),
  ),
  'client data that is no JSON': resigned('client_data', 'clientDataJSON', (bytes) =>
    bytes.subarray(0, -1),
  ),
  'client data that is no UTF-8': resigned('client_data', 'clientDataJSON', (bytes) =>
    Buffer.concat([bytes.subarray(0, -2), Buffer.of(0xff), bytes.subarray(-2)]),
  ),
  'client data that is a list': resigned('client_data', 'clientDataJSON', (bytes) =>
    Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]),
  ),
  'another credential': ({ given }) => ({
    check: 'credential',
    given: { ...given, credential: { ...given.credential, credentialId: 'b3RoZXI' } },
  }),
  'a space in the client data': changed('signature', 'clientDataJSON', (bytes) =>
    Buffer.concat([bytes, Buffer.from(' ')]),
  ),
  'another sign count': changed('signature', 'authenticatorData', flipped(36)),
  'a bit of the signature': changed('signature', 'signature', flipped(-1)),
  'another bit of the signature': changed('signature', 'signature', flipped(12)),
  'a byte more in the signature': changed('signature', 'signature', (bytes) =>
    Buffer.concat([bytes, Buffer.of(0)]),
  ),
  'a byte less in the signature': changed('signature', 'signature', (bytes) =>
    bytes.subarray(0, -1),
  ),
  'no signature': changed('form', 'signature', () => Buffer.alloc(0)),
  'the key of another authenticator': ({ authenticator, given }) => {
    const { algorithm } = authenticator
    const options = { algorithm, rpId: given.rpId, origin: 'https://portal.example.com' }
    const { publicKey } = createSoftwareAuthenticator(options)
    const credential = { ...given.credential, publicKey }
    return { check: 'signature', given: { ...given, credential } }
  },
  'a key of another algorithm': keyed((jwk) => ({
    ...jwk,
    alg: otherKinds[jwk.alg as keyof typeof otherKinds],
  })),
  'a key of another kind': keyed((jwk) => ({ ...jwk, kty: jwk.kty === 'RSA' ? 'EC' : 'RSA' })),
  'a key of another curve': keyed((jwk) => ({ ...jwk, kty: 'EC', crv: 'P-384' })),
  'no key': keyed(() => null),
}
