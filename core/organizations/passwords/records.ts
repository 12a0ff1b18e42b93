import type { Read } from '../../base/ports/store.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { list } from '../../kernel/ledger/reads.ts'
import { line, type RowsOf, stored, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { optional } from '../../kernel/wrap.ts'
import { hashKeyText } from '../api-keys/key-text.ts'

/** From the making of a reset's token to its end. */
export const resetMs: number = 60 * 60 * 1_000
/** Mails with a token that a member is sent within `resetMs`. */
export const resetMailsPerHour = 3

/** Resets of passwords, one a member: the token that was sent last, and when mails were sent. */
export const passwordResets = table({
  name: 'passwordResets',
  members: {
    tenantId: line(longest.id),
    memberId: line(longest.id),
    /** Hex SHA-256 of the token. */
    tokenHash: line(longest.id),
    /** 1 until the token is accepted. */
    open: stored<0 | 1>('int'),
    /** The member's when the token was made: whatever ends their sessions ends it too. */
    sessionVersion: stored<number>(),
    expiresAt: time,
    /** Staff handed it over: it opens a password that a passkey closed, too. */
    byStaff: optional(stored<true>()),
    /** Ms, of the mails of the last hour. */
    sentAt: stored<readonly number[]>(),
  },
  key: ['tenantId', 'memberId'],
  indexes: { byAge: ['expiresAt'] },
  unique: { token: { on: ['tokenHash'], when: { column: 'open', is: 1 } } },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  // Its mails are counted for an hour.
  retain: { by: 'expiresAt', days: 1 },
})
/** The reset of a member's password. */
export interface PasswordReset extends RowsOf<typeof passwordResets.members> {}

/** The read of the open reset with this token, in any tenant. */
export function resetByToken(token: string): Read {
  return list(passwordResets, {
    where: [
      ['tokenHash', '=', hashKeyText(token)],
      ['open', '=', 1],
    ],
    take: 1,
  })
}
