import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { ExecutionFailure, KeyRequest, KeyRequestStatus } from './records.ts'

/** What an execution made. */
export interface Executed {
  readonly issuedKeyId?: string
}

/** A command of the machine; `by` is the name in the audit log. */
export type KeyRequestCommand =
  | { readonly act: 'approve' | 'reject'; readonly staffReason: string | null }
  | { readonly act: 'cancel' | 'withdraw' }
  | { readonly act: 'execute'; readonly by: string; readonly staffReason: string | null }
  | { readonly act: 'succeed'; readonly executed: Executed }
  | { readonly act: 'fail'; readonly failure: ExecutionFailure }

interface Transition {
  readonly from: readonly KeyRequestStatus[]
  readonly to: KeyRequestStatus
  /** States in which the command has had its effect already. */
  readonly done: readonly KeyRequestStatus[]
}

/** Every transition of a key request (interface, Key request). */
export const transitions: Readonly<Record<KeyRequestCommand['act'], Transition>> = {
  approve: { from: ['submitted'], to: 'approved', done: ['approved'] },
  execute: { from: ['approved', 'failed'], to: 'executing', done: ['executing', 'executed'] },
  succeed: { from: ['executing'], to: 'executed', done: [] },
  fail: { from: ['executing'], to: 'failed', done: [] },
  reject: { from: ['submitted', 'approved'], to: 'rejected', done: ['rejected'] },
  cancel: { from: ['submitted'], to: 'cancelled', done: ['cancelled'] },
  withdraw: { from: ['submitted', 'approved', 'failed'], to: 'cancelled', done: ['cancelled'] },
}

/** A failed request is not open: another for the same may be made, though this one can still be executed or withdrawn. */
const openStatuses: readonly KeyRequestStatus[] = ['submitted', 'approved', 'executing']

/** How long after its execution the value of an issued key can be revealed, ms. */
export const revealWithinMs: number = 24 * 60 * 60 * 1_000

/** Whether the command has had its effect before. */
export function isDone(request: KeyRequest, { act }: Pick<KeyRequestCommand, 'act'>): boolean {
  return transitions[act].done.includes(request.status)
}

/** The request after a command at `now` (ms). Refuses with `invalid_transition`. */
export function decide(
  request: KeyRequest,
  command: KeyRequestCommand,
  now: number,
): Result<KeyRequest, 'invalid_transition'> {
  const { from, to } = transitions[command.act]
  if (!from.includes(request.status))
    return refuse(
      'invalid_transition',
      `the key request is ${request.status}, expected ${from.join(' or ')}`,
    )
  const isOpen = openStatuses.includes(to)
  const next: KeyRequest = {
    ...request,
    status: to,
    open: isOpen ? 1 : 0,
    endedAt: isOpen ? null : now,
  }
  switch (command.act) {
    case 'approve':
    case 'reject':
      return ok({ ...next, staffReason: command.staffReason })
    case 'execute':
      return ok({
        ...next,
        executedBy: command.by,
        staffReason: command.staffReason,
        failure: null,
      })
    case 'succeed': {
      const { issuedKeyId = null } = command.executed
      const revealUntil = issuedKeyId === null ? null : now + revealWithinMs
      return ok({ ...next, executedAt: now, issuedKeyId, revealUntil })
    }
    case 'fail':
      return ok({ ...next, failure: command.failure })
    case 'cancel':
      return ok(next)
    case 'withdraw':
      return ok({ ...next, failure: null })
  }
}

/** As `decide`, where a refusal is a bug. */
export function moved(request: KeyRequest, command: KeyRequestCommand, now: number): KeyRequest {
  const after = decide(request, command, now)
  if (!after.ok) throw new Error(`${command.act}: ${after.refusal.detail}`)
  return after.value
}

/**
 * The request once its value was shown, at `now`. Refuses with `invalid_transition` where there is no value to show,
 * and with `reveal_expired` the second time and after 24 hours.
 */
export function decideReveal(
  request: KeyRequest,
  now: number,
): Result<KeyRequest, 'invalid_transition' | 'reveal_expired'> {
  const { status, action, revealUntil, revealedAt } = request
  if (status !== 'executed' || revealUntil === null)
    return refuse(
      'invalid_transition',
      `the key request (${action}) is ${status}, expected an executed one that issues a key`,
    )
  if (revealedAt !== null)
    return refuse('reveal_expired', 'the value was shown before, and only once')
  if (now >= revealUntil)
    return refuse('reveal_expired', 'the value could be shown for 24 hours: submit another request')
  return ok({ ...request, revealedAt: now })
}
