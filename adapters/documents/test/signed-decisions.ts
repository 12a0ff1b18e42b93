import {
  type AssertionParts,
  type AuthenticatorAlgorithm,
  authenticatorFlags,
  createSoftwareAuthenticator,
} from '@countersign/conformance/authenticator'
import { fileNameOf } from '@countersign/core/evidence'
import { type SampleCase, sampleEvidence } from '@countersign/core/testing'
import {
  askedDigest,
  challengeOf,
  type DecisionStatement,
  statementOf,
} from '@countersign/core/webauthn'
import { auditorPack, chainOf } from './auditor-packs.ts'
import { packOf } from './packs.ts'

const rpId = 'portal.example.com'
const origin = `https://${rpId}`
type Json = Record<string, unknown>

/** Authenticators of the reviewer of every sample, by algorithm. */
const authenticators = {
  EdDSA: createSoftwareAuthenticator({ algorithm: 'EdDSA', rpId, origin }),
  ES256: createSoftwareAuthenticator({ algorithm: 'ES256', rpId, origin }),
  RS256: createSoftwareAuthenticator({ algorithm: 'RS256', rpId, origin }),
}
const stranger = createSoftwareAuthenticator({ algorithm: 'EdDSA', rpId, origin })
export const startedAt: number = Date.UTC(2026, 2, 14, 9, 30)
export const iso = (ms: number): string => new Date(ms).toISOString()

/** What a service that holds its own keys makes of a signed decision: everything is sealed and signed anew. */
export interface Tampering {
  readonly algorithm?: AuthenticatorAlgorithm
  /** Of the statement, signed by the reviewer: a decision on something else. */
  readonly signed?: Partial<DecisionStatement>
  /** Of the statement, after it was signed. */
  readonly statement?: Json
  readonly assertion?: Partial<AssertionParts>
  readonly signature?: (signature: Json) => unknown
  /** Of the case, after the reviewer signed. */
  readonly review?: (review: SampleCase) => Partial<SampleCase>
  /** Of an authenticator in the pack; null leaves it out. */
  readonly key?: (key: Json) => Json | null
  /** Of the audit log's entries of it, each chained anew. */
  readonly entries?: (entries: readonly Json[]) => readonly Json[]
  /** Of the chained entries beside the key, not in the log. */
  readonly chained?: (entries: readonly Json[]) => readonly Json[]
  /** Of the audit log. */
  readonly log?: (entries: readonly Json[]) => readonly Json[]
  readonly authenticators?: (document: Json) => unknown
}

/** A pack with a session whose one case was decided by a signature. */
export function signedPack(tampering: Tampering = {}): Promise<Uint8Array> {
  const { evidence, authenticators } = signed(tampering)
  const folder = `applications/app_sample/sessions/${fileNameOf(evidence.session.sessionId)}`
  return packOf(
    new Map([
      [`${folder}/evidence.json`, Buffer.from(JSON.stringify(evidence))],
      ['authenticators.json', Buffer.from(JSON.stringify(authenticators))],
    ]),
  )
}

/** An auditor's pack with the same case, and the audit log that tells of its key. */
export function signedAuditorPack(tampering: Tampering = {}): Promise<Uint8Array> {
  const { evidence, authenticators, log } = signed(tampering)
  return auditorPack({ cases: evidence.reviewCases, log, authenticators })
}

function signed(tampering: Tampering) {
  const { algorithm = 'EdDSA', key: change = (key) => key } = tampering
  const evidence = sampleEvidence({ seed: 5, steps: 3, startedAt, caseOf: signedCase(tampering) })
  const { key, entries, chain } = keyOf(algorithm, tampering)
  const document = {
    authenticators: [change({ ...key, entries })].filter((each) => each !== null),
  }
  const { log = (all) => all, authenticators: whole = (all) => all } = tampering
  return { evidence, authenticators: whole(document), log: log(chain) }
}

function signedCase({
  algorithm = 'EdDSA',
  signed,
  statement: later,
  assertion,
  signature: change = (signature) => signature,
  review: changed = () => ({}),
}: Tampering) {
  return (sample: SampleCase): SampleCase => {
    const [first, ...steps] = sample.history
    if (!first) throw new Error('a sample has a history')
    const asked = { action: 'pay', amount: 1_200 }
    const before = {
      ...sample,
      history: [{ ...first, actor: 'application:app_sample' }, ...steps],
      presentation: asked,
      presentationDigest: askedDigest(asked),
    } as SampleCase
    const { tenantId, applicationId, sessionId, reviewCaseId, caseVersion, closedAt } = before
    const statement = {
      ...statementOf(
        {
          ...{ tenantId, applicationId, sessionId, reviewCaseId },
          checkpointId: before.checkpoint.checkpointId,
          resumeTokenDigest: '1'.repeat(64),
          caseVersion: caseVersion - 1,
          askedDigest: askedDigest(asked),
          presentationDigest: before.presentationDigest ?? '',
          decision: before.decision as DecisionStatement['decision'],
          commentDigest: before.commentDigest,
          responseDigest: before.responseDigest,
          memberId: before.decidedBy ?? '',
        },
        { issuedAt: iso(Date.parse(closedAt ?? '') - 60_000), nonce: 'bm9uY2U' },
      ),
      ...signed,
    }
    const { publicKey, assert } = authenticators[algorithm]
    const made = assert({ challenge: challengeOf(statement), ...assertion })
    const signature = { statement: { ...statement, ...later }, ...made, publicKey }
    const decisionSignature = change(signature) as SampleCase['decisionSignature']
    const decided = { ...before, decisionSignature }
    return { ...decided, ...changed(decided) }
  }
}

function keyOf(algorithm: AuthenticatorAlgorithm, tampering: Tampering) {
  const { entries: change = (all) => all, chained: after = (all) => all } = tampering
  const { publicKey, credentialId } = authenticators[algorithm]
  const memberId = 'mem_2'
  const from = iso(startedAt - 86_400_000)
  const authenticatorId = 'auth_1'
  const detail = {
    ...{ memberId, use: 'signing', credentialId, aaguid: '0'.repeat(32) },
    publicKey: JSON.stringify(publicKey),
  }
  const enrolled = {
    ...{ at: from, actor: `member:${memberId}`, action: 'authenticator.enrolled' },
    ...{ subject: authenticatorId, detail },
  }
  const key = { ...publicKey, use: 'sig', kid: credentialId, memberId, rpId, from, until: null }
  const chain = chainOf(change([enrolled]))
  return { authenticatorId, key, chain, entries: after(chain) }
}

export const revokedAt = (at: number): Pick<Tampering, 'key' | 'entries'> => ({
  key: (key) => ({ ...key, until: iso(at) }),
  entries: (all) => [
    ...all,
    {
      ...{ at: iso(at), actor: 'member:mem_2', action: 'authenticator.revoked' },
      ...{ subject: 'auth_1', detail: (all[0]?.detail ?? {}) as object },
    },
  ],
})

/** Signed decisions that hold, as both verifiers must say. */
export const genuine: Readonly<Record<string, Tampering>> = {
  'by Ed25519': {},
  'by ES256': { algorithm: 'ES256' },
  'by RS256': { algorithm: 'RS256' },
  'by a key that was revoked later': revokedAt(startedAt + 90 * 86_400_000),
  'whose texts were erased': {
    review: () => ({
      ...{ presentation: null, reviewerComment: null, nonces: { comment: null, response: null } },
    }),
  },
}

/** The id of a trace, by which a session goes that its spans have not named. */
export const formerName: string = '4bf92f3577b34da6a3ce929d0e0e4736'

/** A decision that was signed under the session's former name: its spans named the session late, before or after. */
export const renamed = (isLater: boolean): Tampering => ({
  signed: { sessionId: formerName },
  review: ({ history }) => {
    const [first, ...steps] = history
    const moved = [{ ...first, step: 'session_moved' as const, actor: 'system' }]
    const all = isLater ? [first, ...steps, ...moved] : [first, ...moved, ...steps]
    return { history: all as SampleCase['history'] }
  },
})

const { userPresent, userVerified, backedUp } = authenticatorFlags
const other = '2'.repeat(64)
const flip = (member: string) => ({
  signature: (signature: Json) => {
    const bytes = Buffer.from(String(signature[member]), 'base64url')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    return { ...signature, [member]: bytes.toString('base64url') }
  },
})
const each = (change: (entry: Json) => Json) => (all: readonly Json[]) => all.map(change)
const detailOf = (change: Json) =>
  each((entry) => ({ ...entry, detail: { ...(entry.detail as Json), ...change } }))

/** Tamperings that only the reviewer's signature, or the log's entry of their key, tells. */
export const tamperings: Readonly<Record<string, Tampering>> = {
  ...Object.fromEntries(
    Object.entries({
      tenantId: 'ten_other',
      applicationId: 'app_other',
      sessionId: 'session-other',
      checkpointId: 'checkpoint-other',
      reviewCaseId: 'rc_other',
      caseVersion: 9,
      askedDigest: other,
      presentationDigest: other,
      decision: 'rejected',
      commentDigest: other,
      responseDigest: other,
      memberId: 'mem_other',
    }).flatMap(([member, value]) => [
      [`statement: another ${member}, signed`, { signed: { [member]: value } }],
      [`statement: another ${member}, later`, { statement: { [member]: value } }],
    ]),
  ),
  'statement: a session that was renamed before the decision': renamed(false),
  'statement: another session, which the case is said to have left since': {
    ...renamed(true),
    signed: { sessionId: 'session-other' },
  },
  'statement: asked by nobody': { signed: { askedDigest: null } },
  'statement: another resume token': { statement: { resumeTokenDigest: other } },
  'statement: another nonce': { statement: { nonce: 'b3RoZXI' } },
  'statement: a minute later': { statement: { issuedAt: iso(startedAt + 900_000) } },
  'statement: of the same time, written otherwise': {
    signed: { issuedAt: iso(startedAt + 840_000).replace('Z', '+00:00') },
  },
  'statement: from an hour before': { signed: { issuedAt: iso(startedAt - 3_600_000) } },
  'statement: another version': { signed: { statementVersion: '2.0' as '1.0' } },
  'statement: another type': { signed: { statementType: 'sign-in' as 'review-decision' } },
  'statement: a member more': { statement: { more: 1 } },
  'case: decided otherwise': { review: () => ({ decision: 'rejected' }) },
  'case: another comment’s digest': {
    review: () => ({
      presentation: null,
      reviewerComment: null,
      nonces: { comment: null, response: null },
      commentDigest: other,
    }),
  },
  'assertion: the challenge of a sign-in': { assertion: { challenge: 'c2lnbi1pbg' } },
  'assertion: the type of a registration': { assertion: { type: 'webauthn.create' } },
  'assertion: another origin': { assertion: { origin: 'https://portal.example.net' } },
  'assertion: an origin without encryption': { assertion: { origin: `http://${rpId}` } },
  'assertion: a frame': { assertion: { client: { crossOrigin: true } } },
  'assertion: a page around it': { assertion: { client: { topOrigin: 'https://a.example' } } },
  'assertion: another relying party': { assertion: { rpId: 'example.net' } },
  'assertion: the parent domain': { assertion: { rpId: 'example.com' } },
  'assertion: nobody there': { assertion: { flags: userVerified } },
  'assertion: not verified': { assertion: { flags: userPresent } },
  'assertion: a backup that can not be': {
    assertion: { flags: userPresent | userVerified | backedUp },
  },
  'assertion: bytes that no flag announces': { assertion: { extensions: Buffer.of(0) } },
  'assertion: a bit of the signature': flip('signature'),
  'assertion: a bit of an ES256 signature': { algorithm: 'ES256', ...flip('signature') },
  'assertion: a bit of an RS256 signature': { algorithm: 'RS256', ...flip('signature') },
  'assertion: a bit of the authenticator data': flip('authenticatorData'),
  'assertion: other client data': flip('clientDataJSON'),
  'assertion: no signature': { signature: (signature) => ({ ...signature, signature: '' }) },
  'assertion: text for a signature': { signature: () => 'signed' },
  'assertion: nothing of it': { signature: () => ({}) },
  'key: another in the signature': {
    signature: (all) => ({ ...all, publicKey: stranger.publicKey }),
  },
  'key: another credential': {
    signature: (all) => ({ ...all, credentialId: stranger.credentialId }),
  },
  'key: another in the pack': { key: (key) => ({ ...key, ...stranger.publicKey }) },
  'key: another in both': {
    signature: (all) => ({ ...all, publicKey: stranger.publicKey }),
    key: (key) => ({ ...key, ...stranger.publicKey }),
  },
  'key: another kind': {
    signature: (all) => ({ ...all, publicKey: { ...(all.publicKey as Json), kty: 'RSA' } }),
  },
  'key: left out': { key: () => null },
  'key: another member’s': { key: (key) => ({ ...key, memberId: 'mem_1' }) },
  'key: another relying party’s': { key: (key) => ({ ...key, rpId: 'example.com' }) },
  'enrolment: earlier than the log tells': { key: (key) => ({ ...key, from: iso(0) }) },
  'enrolment: after the decision': {
    key: (key) => ({ ...key, from: iso(startedAt + 86_400_000) }),
    entries: each((entry) => ({ ...entry, at: iso(startedAt + 86_400_000) })),
  },
  'enrolment: not in the log': { entries: () => [] },
  'enrolment: of another key': {
    entries: detailOf({ publicKey: JSON.stringify(stranger.publicKey) }),
  },
  'enrolment: of another credential': {
    entries: detailOf({ credentialId: stranger.credentialId }),
  },
  'enrolment: of another member': { entries: detailOf({ memberId: 'mem_1' }) },
  'enrolment: twice': { entries: (all) => [...all, ...all] },
  'enrolment: an entry that was changed': {
    chained: each((entry) => ({ ...entry, actor: 'system' })),
  },
  'revocation: before the decision': revokedAt(startedAt),
  'revocation: concealed': { entries: revokedAt(startedAt).entries ?? ((all) => all) },
  'revocation: later than the log tells': {
    ...revokedAt(startedAt),
    key: (key) => ({ ...key, until: iso(startedAt + 86_400_000) }),
  },
  'authenticators: no list': { authenticators: () => ({}) },
  'authenticators: one twice': {
    authenticators: ({ authenticators: all }) => ({
      authenticators: [...(all as Json[]), ...(all as Json[])],
    }),
  },
}
