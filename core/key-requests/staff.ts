import { type Actor, actorName } from '../access/actor.ts'
import { authorizeStaff } from '../access/authorize.ts'
import { executeAsStaff } from '../access/execute-as.ts'
import { checkText } from '../ledger/check-text.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { longest } from '../ledger/limits.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { Result } from '../ledger/refusal.ts'
import type { Versioned } from '../ports/store.ts'
import { schedule, workItems } from '../work/records.ts'
import { requestEntry } from './audit.ts'
import type { KeyRequestDeps } from './deps.ts'
import { type Effect, effectOf } from './execute.ts'
import { decide, isDone, type KeyRequestCommand, moved } from './machine.ts'
import { staffKeyRequestView } from './present.ts'
import { progressKind } from './progress.ts'
import { noKeyRequest } from './queries.ts'
import { type KeyRequest, keyRequestOf, keyRequests } from './records.ts'
import { openLike, requestPending } from './submit.ts'
import type { KeyRequestUseCases, StaffStep } from './use-cases.ts'
import type { StaffKeyRequestView } from './view.ts'

const right = 'executeKeyRequests'

type Step = KeyRequestUseCases['approve']

/** A step of staff on a request of any tenant. */
function staffStep(
  { ledger }: KeyRequestDeps,
  act: KeyRequestCommand['act'],
  plan: (
    unit: UnitOfWork,
    was: Versioned<KeyRequest>,
    step: { readonly by: string; readonly staffReason: string | null },
  ) => Promise<Plan<StaffKeyRequestView>>,
): Step {
  return async (actor: Actor, requestId: string, step: StaffStep) => {
    const staff = authorizeStaff(actor, right)
    if (!staff.ok) return staff
    const malformed = refuseErrors(checkText(step.reason, '/reason', longest.staffReason))
    if (malformed) return malformed
    const [known] = await ledger.read(null, [keyRequestOf(requestId)])
    const request = one(keyRequests, known)
    if (!request) return noKeyRequest
    const { tenantId } = request.row
    return executeAsStaff(ledger, { actor, right, tenantId }, async (unit, by) => {
      const [found] = await unit.read([keyRequestOf(requestId)])
      const was = one(keyRequests, found)
      if (!was) return refusal(noKeyRequest)
      if (isDone(was.row, { act })) return answer(staffKeyRequestView(was.row))
      return plan(unit, was, {
        by: actorName(by),
        staffReason: step.reason?.trim() || null,
      })
    })
  }
}

function judge(deps: KeyRequestDeps, act: 'approve' | 'reject'): Step {
  return staffStep(deps, act, async ({ now }, was, { by, staffReason }) => {
    const judged = decide(was.row, { act, staffReason }, now)
    if (!judged.ok) return refusal(judged)
    return commit(
      {
        puts: [put(keyRequests, judged.value, was)],
        appends: [requestEntry(judged.value, by, now)],
      },
      staffKeyRequestView(judged.value),
    )
  })
}

export function approveKeyRequest(deps: KeyRequestDeps): Step {
  return judge(deps, 'approve')
}

export function rejectKeyRequest(deps: KeyRequestDeps): Step {
  return judge(deps, 'reject')
}

/** Executed or failed in this commit, but for the rotation of the tenant's key, whose end `keyRequestProgress` records. */
export function executeKeyRequest(deps: KeyRequestDeps): Step {
  return staffStep(deps, 'execute', async (unit, was, { by, staffReason }) => {
    const { now } = unit
    const { requestId, tenantId } = was.row
    const begun = decide(was.row, { act: 'execute', by, staffReason }, now)
    if (!begun.ok) return refusal(begun)
    const [same, work] = await unit.read([
      openLike(was.row),
      get(workItems, [progressKind, requestId]),
    ])
    const pending = one(keyRequests, same)
    if (pending && pending.row.requestId !== requestId) return refusal(requestPending(pending.row))
    const effect = await effectOf(deps, unit, was.row, by)
    const request = afterEffect(begun.value, effect, now)
    const { checks = [], puts = [], appends = [] } = effect.ok ? effect.value.set : {}
    const item = { kind: progressKind, ref: requestId, tenantId, applicationId: null, due: now }
    const goesOn = request.status === 'executing'
    return commit(
      {
        checks,
        puts: [
          ...puts,
          put(keyRequests, request, was),
          ...(goesOn ? [schedule(item, one(workItems, work))] : []),
        ],
        appends: [...appends, requestEntry(request, by, now)],
      },
      staffKeyRequestView(request),
    )
  })
}

function afterEffect(begun: KeyRequest, effect: Result<Effect>, now: number): KeyRequest {
  if (!effect.ok) {
    const { code, detail } = effect.refusal
    return moved(begun, { act: 'fail', failure: { code, detail } }, now)
  }
  const { executed, rotatesTo = begun.rotatesTo } = effect.value
  return executed ? moved(begun, { act: 'succeed', executed }, now) : { ...begun, rotatesTo }
}
