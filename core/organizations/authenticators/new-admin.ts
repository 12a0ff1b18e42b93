import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { Roster } from '../access/records.ts'
import { beforeWeakeningMs } from './before-weakening.ts'

/**
 * Whether an admin may revoke authenticators of other members and allow them another one. Who became an admin waits as
 * long as their authenticators do before they let fewer signatures do: whoever took over the session of one admin makes
 * another, and the others are to take the rights back before there are two.
 */
export function mayActForOthers(
  { since = {} }: Pick<Roster, 'since'>,
  memberId: string,
  now: number,
): Result<null, 'forbidden'> {
  const from = (since[memberId] ?? Number.NEGATIVE_INFINITY) + beforeWeakeningMs
  return now >= from
    ? ok(null)
    : refuse('forbidden', 'expected an admin who became one 24 hours ago', {
        retryAfter: Math.ceil((from - now) / 1000),
      })
}
