import { ok, type RefusalCode, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { changedApplication } from './changed-application.ts'
import type { Application } from './records.ts'

/** A command on the lifecycle of an application. `held`: a legal hold covers one of its data subjects. */
export type LifecycleCommand =
  | {
      readonly type: 'request_deletion'
      /** The actor's name. */
      readonly by: string
      /** Ms: when the grace period ends. */
      readonly purgeAt: number
      readonly held: boolean
    }
  | { readonly type: 'cancel_deletion' }
  | { readonly type: 'begin_purge'; readonly held: boolean }
  | { readonly type: 'finish_purge' }

type RequestDeletion = Extract<LifecycleCommand, { type: 'request_deletion' }>
type CancelDeletion = Extract<LifecycleCommand, { type: 'cancel_deletion' }>
type Decided<Code extends RefusalCode> = Result<Application, Code>

/** The application after a command; the same object where nothing changes. */
export type LifecycleDecision = Decided<
  'blocked_by_hold' | 'not_pending' | 'purge_started' | 'invalid_transition'
>

/**
 * Decides a command on an application at a time in ms (interface, Application lifecycle). The service's own commands,
 * `begin_purge` and `finish_purge`, are refused with `invalid_transition` in another state or too early.
 */
export function decideLifecycle(
  was: Application,
  command: RequestDeletion,
  now: number,
): Decided<'blocked_by_hold' | 'purge_started'>
export function decideLifecycle(
  was: Application,
  command: CancelDeletion,
  now: number,
): Decided<'not_pending' | 'purge_started'>
export function decideLifecycle(
  was: Application,
  command: LifecycleCommand,
  now: number,
): LifecycleDecision
export function decideLifecycle(
  was: Application,
  command: LifecycleCommand,
  now: number,
): LifecycleDecision {
  switch (command.type) {
    case 'request_deletion':
      return requestDeletion(was, command, now)
    case 'cancel_deletion':
      return cancelDeletion(was, now)
    case 'begin_purge':
      return beginPurge(was, command.held, now)
    case 'finish_purge':
      return was.lifecycleState === 'purging' ? ok(tombstoneOf(was, now)) : impossible(was)
  }
}

function requestDeletion(
  was: Application,
  { by, purgeAt, held }: RequestDeletion,
  now: number,
): Decided<'blocked_by_hold' | 'purge_started'> {
  if (was.lifecycleState === 'pending_deletion') return ok(was)
  if (was.lifecycleState !== 'active') return purgeStarted(was)
  if (held)
    return refuse(
      'blocked_by_hold',
      'a legal hold covers a data subject of the application: release it first',
    )
  const deletion = { requestedAt: now, requestedBy: by, purgeAt, blockedByHold: false }
  return ok(changedApplication(was, { lifecycleState: 'pending_deletion', deletion }, now))
}

function cancelDeletion(was: Application, now: number): Decided<'not_pending' | 'purge_started'> {
  if (was.lifecycleState === 'active')
    return refuse('not_pending', 'the application is active, expected pending_deletion')
  if (was.lifecycleState !== 'pending_deletion') return purgeStarted(was)
  return ok(changedApplication(was, { lifecycleState: 'active', deletion: null }, now))
}

function beginPurge(was: Application, held: boolean, now: number): Decided<'invalid_transition'> {
  const { lifecycleState, deletion } = was
  if (lifecycleState !== 'pending_deletion' || !deletion) return impossible(was)
  if (now < deletion.purgeAt)
    return refuse('invalid_transition', 'the grace period of the deletion has not ended')
  if (!held) return ok(changedApplication(was, { lifecycleState: 'purging' }, now))
  if (deletion.blockedByHold) return ok(was)
  return ok(changedApplication(was, { deletion: { ...deletion, blockedByHold: true } }, now))
}

function tombstoneOf(was: Application, now: number): Application {
  const { tenantId, applicationId } = was
  return {
    tenantId,
    applicationId,
    name: '',
    stage: null,
    lifecycleState: 'purged',
    outcomeCallback: null,
    version: was.version + 1,
    createdAt: 0,
    updatedAt: 0,
    purgedAt: now,
  }
}

function purgeStarted({ lifecycleState }: Application): Decided<'purge_started'> {
  return refuse(
    'purge_started',
    `the application is ${lifecycleState}: a purge that has begun can't be stopped`,
  )
}

function impossible({ lifecycleState }: Application): Decided<'invalid_transition'> {
  return refuse('invalid_transition', `the application is ${lifecycleState}`)
}
