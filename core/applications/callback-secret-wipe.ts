import { previousAt, withoutEnded } from '../kernel/sealing/shared-secret.ts'
import type { Wake } from '../kernel/unit.ts'
import { handler } from '../kernel/work/handler.ts'
import { workAt } from '../kernel/work/records.ts'
import { changedApplication } from './changed-application.ts'
import { type Application, applications } from './records.ts'

const kind = 'callbackSecretWipe'

/** The wiping of the previous secret, when it has ended. `now`: ms. */
export function callbackSecretWipeOf(
  { tenantId, applicationId, outcomeCallback }: Application,
  now: number,
): Wake {
  const due = outcomeCallback?.previousSecret?.validUntil ?? now
  return workAt({ kind, ref: applicationId, tenantId, applicationId, due })
}

/** Wipes the previous secret of an application's outcome callback when it has ended. */
export const callbackSecretWipe = handler({
  kind,
  async run(unit, { tenantId, ref }) {
    const { was } = await unit.ask({ was: applications.get(tenantId, ref) })
    const callback = was?.row.outcomeCallback
    if (!was || !callback?.previousSecret) return null
    const previous = previousAt(callback, unit.now)
    if (previous) return previous.validUntil
    const outcomeCallback = withoutEnded(callback, unit.now)
    unit.put(applications, changedApplication(was.row, { outcomeCallback }, unit.now), was)
    return null
  },
})
