import type { Versioned } from '../../base/ports/store.ts'
import { writtenTimeForm } from '../../base/text/written-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { object } from '../../kernel/members.ts'
import { anyText, just, line, oneOf, pattern, type RowsOf, type Shape } from '../../kernel/shape.ts'
import { digest } from '../../kernel/usual.ts'
import { orNull } from '../../kernel/wrap.ts'
import { decodeBase64Url } from '../../proof/signing/encoding.ts'
import type { Authenticator } from './records.ts'

/** What an authenticator answers to `navigator.credentials.get`; each in unpadded base64url. */
export const assertionMembers = {
  credentialId: line(longest.credentialId),
  authenticatorData: anyText(longest.credentialData),
  clientDataJSON: anyText(longest.credentialData),
  signature: anyText(longest.credentialData),
}

/** A time that stays text, for it is part of what is signed. */
export const writtenTime: Shape<string> = pattern(
  writtenTimeForm,
  'an ISO 8601 time in UTC with milliseconds',
  24,
)

/** What a change adds, removes, or lets more through. */
export const change = oneOf(['add', 'remove', 'weaken'])
/** The authenticator that is removed, or the application or organization that is set otherwise; null for `add`. */
export const subject = orNull(line(longest.id))
/** Of `weaken`: `settingDigest` of the operation and of all that it sets; null for the others. */
export const setting = orNull(digest)

/** What is signed for a change: the challenge is the SHA-256 of its canonical JSON. */
const changeStatement = {
  statementVersion: just('1.0'),
  statementType: just('authenticator-change'),
  tenantId: line(longest.id),
  memberId: line(longest.id),
  change,
  subject,
  settingDigest: setting,
  issuedAt: writtenTime,
  nonce: line(longest.url),
}
export const changeStatementShape = object(changeStatement, 'AuthenticatorChange')
/** What is signed for a change of the own authenticators. */
export interface ChangeStatement extends RowsOf<typeof changeStatement> {}

/** The assertion of an authenticator that is there, for a change. */
export const changeAssertion = object({ statement: object(changeStatement), ...assertionMembers })
/** The assertion of an authenticator that is there, for a change. */
export type ChangeAssertion = RowsOf<{ readonly assertion: typeof changeAssertion }>['assertion']

/** The sign count in authenticator data (WebAuthn 6.1). */
export function signCountOf(authenticatorData: string): number {
  const bytes = decodeBase64Url(authenticatorData)
  return bytes && bytes.length >= 37
    ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(33)
    : 0
}

/** A use within this time of the last is not worth a write, where nothing is counted, ms. */
const sameUseMs = 60_000

/** Whether a use must be recorded: each, but for several within a minute of an authenticator that does not count. */
export function isWorthRecording(before: Authenticator, after: Authenticator): boolean {
  if (before.lastUsedAt === null || after.signCount !== before.signCount) return true
  return (after.lastUsedAt ?? 0) - before.lastUsedAt >= sameUseMs
}

/** The authenticator after an assertion of it. Refuses with `authenticator_cloned`. */
export function used(
  { row }: Versioned<Authenticator>,
  authenticatorData: string,
  now: number,
): Result<Authenticator, 'authenticator_cloned'> {
  const signCount = signCountOf(authenticatorData)
  // Zero: it does not count (WebAuthn 6.1.1).
  if ((signCount > 0 || row.signCount > 0) && signCount <= row.signCount)
    return refuse(
      'authenticator_cloned',
      `expected a sign count above ${row.signCount}, got ${signCount}: there may be a copy of the authenticator`,
    )
  return { ok: true, value: { ...row, signCount, lastUsedAt: now } }
}
