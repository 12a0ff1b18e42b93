import { get, one, put } from '../kernel/ledger/reads.ts'
import { previousAt, withoutEnded } from '../kernel/sealing/shared-secret.ts'
import type { Wake } from '../kernel/unit.ts'
import type { WorkHandler } from '../kernel/work/handler.ts'
import { schedule, workItems } from '../kernel/work/records.ts'
import { changedApplication } from './changed-application.ts'
import { applicationOf } from './load.ts'
import { type Application, applications } from './records.ts'

const kind = 'callbackSecretWipe'

/** The wiping of the previous secret, when it has ended. */
export function callbackSecretWipeOf({
  tenantId,
  applicationId,
  outcomeCallback,
}: Application): Wake {
  return {
    item: get(workItems, [kind, applicationId]),
    schedule(now, found) {
      const due = outcomeCallback?.previousSecret?.validUntil ?? now
      const item = { kind, ref: applicationId, tenantId, applicationId, due }
      return schedule(item, one(workItems, found))
    },
  }
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
