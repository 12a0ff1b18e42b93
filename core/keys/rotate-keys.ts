import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, one, put } from '../kernel/ledger/reads.ts'
import type { Wake } from '../kernel/unit.ts'
import type { WorkHandler } from '../kernel/work/handler.ts'
import { schedule, workItems } from '../kernel/work/records.ts'
import { ringOf } from './issuer-keys.ts'
import { type IssuerKeyRing, issuerKeyRings } from './records.ts'
import { nextTidy, tidy } from './ring.ts'

const kind = 'issuerKeyUpkeep'

/** Wipes the seeds of keys that no longer sign, and later drops the keys. Which key signs depends on times alone. */
export const issuerKeyUpkeep: WorkHandler = {
  kind,
  async run(item, unit: UnitOfWork) {
    const [found] = await unit.read([ringOf(item.ref)])
    const ring = one(issuerKeyRings, found)
    if (!ring) return { next: null }
    const tidied = tidy(ring.row, unit.now)
    return { set: { puts: [put(issuerKeyRings, tidied, ring)] }, next: nextTidy(tidied) }
  },
}

/** Schedules the upkeep of a ring that was rotated. */
export function upkeepOf(ring: IssuerKeyRing): Wake {
  const { tenantId } = ring
  return {
    item: get(workItems, [kind, tenantId]),
    schedule: (now, found) =>
      schedule(
        { kind, ref: tenantId, tenantId, applicationId: null, due: nextTidy(ring) ?? now },
        one(workItems, found),
      ),
  }
}
