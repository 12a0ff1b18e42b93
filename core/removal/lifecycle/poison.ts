import { purgeKind } from '../../applications/records.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type { StaffActor, SystemActor } from '../../kernel/callers/actor.ts'
import type { LookupOf } from '../../kernel/declared.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { rowsBy } from '../../kernel/list.ts'
import { object, showAll } from '../../kernel/members.ts'
import { command, list } from '../../kernel/operation.ts'
import { count } from '../../kernel/page.ts'
import { orNotFound, type Query } from '../../kernel/query.ts'
import { line, name, type OutsOf, oneOf, text, time, whole } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { workAt } from '../../kernel/work/records.ts'
import { orNull } from '../../kernel/wrap.ts'
import { type Purge, purgeStates, purges, stepOfPhase } from './records.ts'

const shownPurge = {
  messageId: line(longest.id),
  tenantId: line(longest.id),
  applicationId: line(longest.id),
  /** Interface, Purge. */
  step: whole(1, 6),
  attempts: count,
  lastError: orNull(text(longest.detail)),
  firstFailedAt: orNull(time),
  state: oneOf(purgeStates),
}
/** A purge that failed five times; times are ISO 8601 UTC. */
export interface PoisonView extends OutsOf<typeof shownPurge> {}
const poisonShape = object(shownPurge, 'FailedPurge')

const common = { by: 'staff', right: 'managePurges' } as const

/** A part of the purges that failed for the last time, the first begun first. */
export const listPoisoned = list({
  ...common,
  name: 'purgePoison.list',
  doc: 'List purges that failed for the last time',
  filter: {},
  items: 'messages',
  item: poisonShape,
  refuses: [],
  source: () =>
    rowsBy(purges, {
      by: 'byState',
      where: { state: 'poisoned' },
      cursor: 'messageId',
      show: poisonView,
    }),
})

/** A step of staff on a purge of any organization, whose rows alone it then reads and writes. */
const settling = {
  ...common,
  takes: { messageId: shownPurge.messageId, note: name(longest.staffReason) },
  gives: poisonShape,
  prepare: async (
    { ask }: LookupOf<'staff', 'not_found', unknown>,
    { messageId }: Pick<PoisonView, 'messageId'>,
  ) => (await ask({ purge: purgeOf(messageId) })).purge.row.tenantId,
  within: (tenantId: string) => tenantId,
} as const

/** Tries a poisoned or resolved purge again, from the phase that it had reached. */
export const requeuePurge = command({
  ...settling,
  name: 'purgePoison.requeue',
  doc: 'Try a failed purge again at once',
  refuses: ['not_found'],
  async run(unit, { messageId }) {
    const { was } = await unit.ask({ was: purgeOf(messageId) })
    return was.row.state === 'queued' ? poisonView(was.row) : settled(unit, was, 'queued')
  },
})

/** Marks the cause of a failed purge as settled. */
export const resolvePurge = command({
  ...settling,
  name: 'purgePoison.resolve',
  doc: 'Leave a failed purge, whose cause is settled, to the next sweep',
  refuses: ['not_found', 'invalid_transition'],
  async run(unit, { messageId }) {
    const { was } = await unit.ask({ was: purgeOf(messageId) })
    if (was.row.state === 'resolved') return poisonView(was.row)
    if (was.row.state === 'queued')
      unit.refuse('invalid_transition', 'the purge is at work, expected one that was given up')
    return settled(unit, was, 'resolved')
  },
})

/** Purges that failed (interface, Staff host). */
export const poisonOperations = [listPoisoned, requeuePurge, resolvePurge] as const

function purgeOf(messageId: string): Query<Versioned<Purge>, 'not_found'> {
  return orNotFound(purges.first('byMessage', { messageId }), 'message')
}

/** Takes a purge from the operators' queue. */
function settled(
  unit: Pick<Unit<StaffActor | SystemActor, never>, 'put' | 'wake' | 'audit' | 'now'>,
  was: Versioned<Purge>,
  state: 'queued' | 'resolved',
): PoisonView {
  const purge: Purge = { ...was.row, state, attempts: 0 }
  const { tenantId, applicationId, messageId, progress } = purge
  unit.put(purges, purge, was)
  if (state === 'queued')
    unit.wake(workAt({ kind: purgeKind, ref: applicationId, tenantId, due: unit.now }))
  const detail = { messageId, step: stepOfPhase[progress.phase] }
  const action = state === 'queued' ? 'purge.requeued' : 'purge.resolved'
  unit.audit(action, applicationId, detail, tenantId)
  return poisonView(purge)
}

function poisonView(purge: Purge): PoisonView {
  return showAll(shownPurge, { ...purge, step: stepOfPhase[purge.progress.phase] })
}
