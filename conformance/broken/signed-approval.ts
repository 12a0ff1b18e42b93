import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { canonicalize, digestOf } from '@countersign/core/canonical'
import type { PinnedForSuite, ServedApplication } from '../outcome/index.ts'
import { suiteTenantId } from '../outcome/message.ts'

type Json = Readonly<Record<string, unknown>>

/** Checks of an approval, by name; a broken endpoint leaves one out. */
export type ApprovalCheck =
  | 'signature'
  | 'pinned key'
  | 'kind of key'
  | 'revocation'
  | 'challenge'
  | 'case'
  | 'checkpoint'
  | 'asked organization'
  | 'asked session'
  | 'asked token'
  | 'decision'
  | 'presentation'
  | 'age'
  | 'age of days'
  | 'future'
  | 'hours to come'
  | 'user verification'
  | 'relying party'
  | 'origin'

const dayMs = 24 * 60 * 60_000
const weekMs = 7 * dayMs
/** By how much clocks may differ. */
const toleranceMs = 5 * 60_000

/** What an endpoint pins, and whose it is. */
export interface Pinning extends ServedApplication {
  readonly pinned: PinnedForSuite
}

/** Whether a small endpoint without the kit acts on an outcome, with one check left out. */
export function acts(outcome: Json, own: Pinning, without?: ApprovalCheck): boolean {
  if (outcome.decision !== 'approved') return false
  const signature = outcome.decisionSignature as Json | null
  if (!signature) return without === 'signature'
  return [...faultsOf(outcome, signature, own, without)].every((fault) => fault === without)
}

function* faultsOf(
  outcome: Json,
  signature: Json,
  { pinned, applicationId, tenantId = suiteTenantId }: Pinning,
  without: ApprovalCheck | undefined,
): Generator<ApprovalCheck> {
  const statement = signature.statement as Json
  const told = signature.publicKey as Json
  const known = pinned.keys.find(({ kid }) => kid === signature.credentialId)
  const isOther = without === 'kind of key' && known?.kty !== told.kty
  const key = without === 'pinned key' || isOther ? told : known
  if (!key || (!known && without !== 'pinned key')) return yield 'pinned key'
  if (known && known.until !== null) yield 'revocation'
  const bytes = (name: string) => Buffer.from(String(signature[name]), 'base64url')
  const [client, data] = [bytes('clientDataJSON'), bytes('authenticatorData')]
  const signed = Buffer.concat([data, sha256(client)])
  const jwk = createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
  const hash = key.kty === 'OKP' ? null : 'sha256'
  if (!verify(hash, signed, jwk, bytes('signature'))) yield 'pinned key'
  const { challenge, origin, type } = JSON.parse(client.toString()) as Json
  const expected = sha256(canonicalize(statement)).toString('base64url')
  if (challenge !== expected || type !== 'webauthn.get') yield 'challenge'
  if (!pinned.origins.includes(String(origin))) yield 'origin'
  if (!data.subarray(0, 32).equals(sha256(pinned.rpId))) yield 'relying party'
  if (((data[32] ?? 0) & 5) !== 5) yield 'user verification'
  if (statement.decision !== outcome.decision) yield 'decision'
  if (statement.checkpointId !== outcome.checkpointId) yield 'checkpoint'
  if (statement.askedDigest !== digestOf(pinned.asked.presentation)) yield 'presentation'
  if (statement.presentationDigest !== outcome.presentationDigest) yield 'presentation'
  const ageMs = Date.now() - Date.parse(String(statement.issuedAt))
  if (ageMs > (without === 'age of days' ? weekMs : pinned.maxAgeMs)) yield 'age'
  if (ageMs < -(without === 'hours to come' ? dayMs : toleranceMs)) yield 'future'
  if (outcome.tenantId !== tenantId) yield 'asked organization'
  if (outcome.applicationId !== applicationId) yield 'case'
  if (outcome.sessionId !== pinned.asked.sessionId) yield 'asked session'
  const token = outcome.resumeToken ?? null
  if (token !== pinned.asked.resumeToken) yield 'asked token'
  const names = ['tenantId', 'applicationId', 'sessionId', 'reviewCaseId'] as const
  const isSame =
    names.every((name) => statement[name] === outcome[name]) &&
    statement.caseVersion === Number(outcome.caseVersion) - 1 &&
    statement.resumeTokenDigest === (token === null ? null : digestOf(token))
  if (!isSame) yield 'case'
}

function sha256(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest()
}
