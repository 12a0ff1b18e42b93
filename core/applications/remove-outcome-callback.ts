import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { audit } from '../ledger/audit.ts'
import { auditedUrl } from '../ledger/endpoint-url.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal } from '../ledger/ledger.ts'
import { put } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import { changedApplication } from './changed-application.ts'
import type { ApplicationDeps } from './deps.ts'
import { active, applicationOf } from './load.ts'
import { callbackOf } from './outcome-callback.ts'
import { applicationView } from './present.ts'
import { healthsOf } from './queries.ts'
import { type Application, applications } from './records.ts'
import type { ApplicationUseCases } from './use-cases.ts'

/** Removes the outcome callback with its secret; what it still owes is given up, and can be replayed to another one. */
export function removeOutcomeCallback(
  ports: ApplicationDeps,
): ApplicationUseCases['removeOutcomeCallback'] {
  return async (actor, applicationId) => {
    const right = 'setOutcomeCallback'
    const member = authorizeMember(actor, right)
    if (!member.ok) return member
    const removed = await executeAs<Application>(ports.ledger, actor, right, async (unit, by) => {
      const { tenantId } = by
      const [found] = await unit.read([applicationOf(tenantId, applicationId)])
      const loaded = active(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const callback = callbackOf(was.row)
      if (!callback.ok) return refusal(callback)
      const row = changedApplication(was.row, { outcomeCallback: null }, unit.now)
      return commit(
        {
          puts: [put(applications, row, was), await ports.endCallbacks(unit, row)],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: actorName(actor),
              action: 'application.outcome_callback_removed',
              subject: applicationId,
              detail: { ...auditedUrl(callback.value.url), method: callback.value.method },
            }),
          ],
        },
        row,
      )
    })
    if (!removed.ok) return removed
    const row = removed.value
    const [health = null] = await healthsOf(ports, row.tenantId, [row])
    return ok(applicationView(row, null, health))
  }
}
