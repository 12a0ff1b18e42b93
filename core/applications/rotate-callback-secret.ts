import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { audit } from '../ledger/audit.ts'
import { auditedUrl } from '../ledger/endpoint-url.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import type { Put } from '../ports/store.ts'
import { previousAt, withoutEnded } from '../sealing/shared-secret.ts'
import type { WorkHandler } from '../work/handler.ts'
import { schedule, workItems } from '../work/records.ts'
import { changedApplication } from './changed-application.ts'
import type { ApplicationDeps } from './deps.ts'
import { active, applicationOf } from './load.ts'
import { newSecret } from './new-callback-secret.ts'
import { rotateSecret, withCallback } from './outcome-callback.ts'
import { outcomeCallbackView } from './present.ts'
import { type Application, applications, type OutcomeCallback } from './records.ts'
import type { ApplicationUseCases } from './use-cases.ts'

/** Replaces the shared secret of the outcome callback; the one before it signs beside it for 24 h, then is wiped. */
export function rotateCallbackSecret(
  ports: ApplicationDeps,
): ApplicationUseCases['rotateCallbackSecret'] {
  return async (actor, applicationId, { force = false }) => {
    const right = 'setOutcomeCallback'
    const member = authorizeMember(actor, right)
    if (!member.ok) return member
    const { secret, seal } = newSecret(ports, member.value.tenantId, applicationId)
    const done = await executeAs<OutcomeCallback>(ports.ledger, actor, right, async (unit, by) => {
      const { tenantId } = by
      const { now } = unit
      const [found] = await unit.read([applicationOf(tenantId, applicationId)])
      const loaded = active(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const callback = rotateSecret(was.row, { force, now, seal })
      if (!callback.ok) return refusal(callback)
      const row = changedApplication(was.row, withCallback(callback.value), now)
      return commit(
        {
          puts: [put(applications, row, was), await wipePut(unit, row)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'application.outcome_callback_secret_rotated',
              subject: applicationId,
              detail: { ...auditedUrl(callback.value.url), force },
            }),
          ],
        },
        callback.value,
      )
    })
    return done.ok ? ok(outcomeCallbackView(done.value, null, secret)) : done
  }
}

const kind = 'callbackSecretWipe'

/** Schedules the wiping of the previous secret. */
async function wipePut(
  unit: UnitOfWork,
  { tenantId, applicationId, outcomeCallback }: Application,
): Promise<Put> {
  const [found] = await unit.read([get(workItems, [kind, applicationId])])
  const due = outcomeCallback?.previousSecret?.validUntil ?? unit.now
  return schedule({ kind, ref: applicationId, tenantId, applicationId, due }, one(workItems, found))
}

/** Wipes the previous secret of an application's outcome callback when it has ended. */
export const callbackSecretWipe: WorkHandler = {
  kind,
  async run({ tenantId, ref }, unit) {
    const [found] = await unit.read(tenantId === null ? [] : [applicationOf(tenantId, ref)])
    const was = one(applications, found)
    const callback = was?.row.outcomeCallback
    if (!was || !callback?.previousSecret) return { next: null }
    const previous = previousAt(callback, unit.now)
    if (previous) return { next: previous.validUntil }
    const outcomeCallback = withoutEnded(callback, unit.now)
    const row = changedApplication(was.row, { outcomeCallback }, unit.now)
    return { set: { puts: [put(applications, row, was)] }, next: null }
  },
}
