import type { Versioned } from '../../base/ports/store.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { beforeWeakeningMs } from './before-weakening.ts'
import type { Authenticator } from './records.ts'
import type { Standing } from './registration.ts'

/**
 * From when a new authenticator lets fewer signatures do, ms: at once where one that does signed for it, else a day after
 * its enrolment, for who has the password of an admin, or their mailbox, enrols one.
 */
export function weakensFrom(
  standing: Standing,
  own: readonly Versioned<Authenticator>[],
  now: number,
): number {
  if (standing !== 'further') return now + beforeWeakeningMs
  const active = own.filter(({ row }) => row.revokedAt === null)
  return Math.max(now, ...active.map(({ row }) => row.weakensFrom))
}

/** Refuses an authenticator that does not let fewer signatures do yet. */
export function mayWeaken(
  { weakensFrom }: Pick<Authenticator, 'weakensFrom'>,
  now: number,
): Result<null, 'signature_required'> {
  return now >= weakensFrom
    ? ok(null)
    : refuse(
        'signature_required',
        'expected an authenticator that was enrolled 24 hours ago, or by an assertion of such a one',
        { retryAfter: Math.ceil((weakensFrom - now) / 1000) },
      )
}
