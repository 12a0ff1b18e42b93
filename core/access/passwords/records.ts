import { list } from '../../ledger/reads.ts'
import type { Collection, Read } from '../../ports/store.ts'
import { hashKeyText } from '../key-text.ts'

/** From the making of a reset's token to its end. */
export const resetMs: number = 60 * 60 * 1_000
/** Mails with a token that a member is sent within `resetMs`. */
export const resetMailsPerHour = 3

/** The reset of a member's password: the token that was sent last, and when mails were sent. */
export interface PasswordReset {
  readonly tenantId: string
  readonly memberId: string
  /** Hex SHA-256 of the token. */
  readonly tokenHash: string
  /** 1 until the token is accepted. */
  readonly open: 0 | 1
  /** The member's when the token was made: whatever ends their sessions ends it too. */
  readonly sessionVersion: number
  /** Ms. */
  readonly expiresAt: number
  /** Ms, of the mails of the last hour. */
  readonly sentAt: readonly number[]
}

/** Resets of passwords, one a member. */
export const passwordResets: Collection<PasswordReset> = {
  name: 'passwordResets',
  key: ['tenantId', 'memberId'],
  columns: {
    tenantId: 'text',
    memberId: 'text',
    tokenHash: 'text',
    open: 'int',
    expiresAt: 'int',
  },
  indexes: { byAge: ['expiresAt'] },
  unique: { token: { on: ['tokenHash'], when: { column: 'open', is: 1 } } },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  // Its mails are counted for an hour.
  retain: { by: 'expiresAt', days: 1 },
}

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
