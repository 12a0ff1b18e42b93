import type { Versioned } from '../../base/ports/store.ts'
import { actorName, type StaffActor, type SystemActor } from '../../kernel/callers/actor.ts'
import type { LookupOf } from '../../kernel/declared.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import { rowsBy } from '../../kernel/list.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { line, oneOf, text } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { workAt } from '../../kernel/work/records.ts'
import { optional, orNull } from '../../kernel/wrap.ts'
import { auditRequest } from './audit.ts'
import { type Effect, effectOf, type KeyRequestTools } from './execute.ts'
import { existing, noneLike } from './load.ts'
import { decide, isDone, moved } from './machine.ts'
import { progressKind } from './progress.ts'
import {
  type KeyRequest,
  keyRequestStatuses,
  keyRequests,
  type StaffKeyRequestView,
  staffKeyRequest,
  staffKeyRequestView,
} from './records.ts'

const { command, list } = operationsWith<KeyRequestTools>()

const shape = object(staffKeyRequest, 'StaffKeyRequest')
/** A step of staff on a request of any tenant; the organization reads the reason. */
const step = {
  by: 'staff',
  right: 'executeKeyRequests',
  takes: { requestId: line(longest.id), reason: orNull(text(longest.staffReason)) },
  gives: shape,
  prepare: async (
    { ask }: LookupOf<'staff', 'not_found', KeyRequestTools>,
    { requestId }: Pick<Step, 'requestId'>,
  ) => (await ask({ request: existing(requestId) })).request.row.tenantId,
  within: (tenantId: string) => tenantId,
} as const

/** A part of all tenants' requests, newest first. */
export const listForStaff = list({
  name: 'keyRequests.listForStaff',
  doc: 'List the key requests of all organizations, newest first',
  by: 'staff',
  right: 'executeKeyRequests',
  filter: { status: optional(oneOf(keyRequestStatuses)) },
  items: 'keyRequests',
  item: shape,
  refuses: [],
  source: (_, { status }) =>
    rowsBy(keyRequests, {
      ...(status === undefined ? { by: 'key', where: {} } : { by: 'byStatus', where: { status } }),
      cursor: 'requestId',
      newest: true,
      show: staffKeyRequestView,
    }),
})

/** Lets a request be executed. */
export const approveKeyRequest = command({
  ...step,
  name: 'keyRequests.approve',
  doc: 'Approve a key request',
  refuses: ['not_found', 'invalid_transition'],
  run: (unit, input) => judge(unit, 'approve', input),
})

/** Rejects a request before its execution. */
export const rejectKeyRequest = command({
  ...step,
  name: 'keyRequests.reject',
  doc: 'Reject a key request before it is executed',
  refuses: ['not_found', 'invalid_transition'],
  run: (unit, input) => judge(unit, 'reject', input),
})

type StaffUnit = Unit<StaffActor | SystemActor, 'not_found' | 'invalid_transition', KeyRequestTools>

interface Step {
  readonly requestId: string
  readonly reason: string | null
}

async function judge(
  unit: StaffUnit,
  act: 'approve' | 'reject',
  { requestId, reason }: Step,
): Promise<StaffKeyRequestView> {
  const { was } = await unit.ask({ was: existing(requestId) })
  if (isDone(was.row, { act })) return staffKeyRequestView(was.row)
  const staffReason = reason?.trim() || null
  return saved(unit, was, unit.orRefuse(decide(was.row, { act, staffReason }, unit.now)))
}

function saved(
  unit: Pick<StaffUnit, 'put' | 'audit'>,
  was: Versioned<KeyRequest>,
  request: KeyRequest,
): StaffKeyRequestView {
  unit.put(keyRequests, request, was)
  auditRequest(unit, request)
  return staffKeyRequestView(request)
}

/**
 * Executes an approved request, or a failed one again. What can't be done leaves the request `failed`; the rotation of
 * the tenant's encryption key leaves it `executing` until `keyRequestProgress` records its end.
 */
export const executeKeyRequest = command({
  ...step,
  name: 'keyRequests.execute',
  doc: 'Execute an approved key request, or a failed one again',
  refuses: ['not_found', 'invalid_transition', 'request_pending'],
  async run(unit, { requestId, reason }) {
    const { now } = unit
    const { was } = await unit.ask({ was: existing(requestId) })
    if (isDone(was.row, { act: 'execute' })) return staffKeyRequestView(was.row)
    const [by, staffReason] = [actorName(unit.by), reason?.trim() || null]
    const begun = unit.orRefuse(decide(was.row, { act: 'execute', by, staffReason }, now))
    await unit.ask({ same: noneLike(was.row) })
    const effect = await effectOf(unit.tools, unit, was.row, by)
    const request = afterEffect(begun, effect, now)
    if (effect.ok) unit.include(effect.value.set)
    if (request.status === 'executing') {
      const { tenantId } = request
      unit.wake(workAt({ kind: progressKind, ref: requestId, tenantId, due: now }))
    }
    return saved(unit, was, request)
  },
})

function afterEffect(begun: KeyRequest, effect: Result<Effect>, now: number): KeyRequest {
  if (!effect.ok) {
    const { code, detail } = effect.refusal
    return moved(begun, { act: 'fail', failure: { code, detail } }, now)
  }
  const { executed, rotatesTo = begun.rotatesTo } = effect.value
  return executed ? moved(begun, { act: 'succeed', executed }, now) : { ...begun, rotatesTo }
}
