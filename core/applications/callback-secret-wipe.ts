import { one, put } from '../kernel/ledger/reads.ts'
import { previousAt, withoutEnded } from '../kernel/sealing/shared-secret.ts'
import type { Wake } from '../kernel/unit.ts'
import type { WorkHandler } from '../kernel/work/handler.ts'
import { workAt } from '../kernel/work/records.ts'
import { changedApplication } from './changed-application.ts'
import { applicationOf } from './load.ts'
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
