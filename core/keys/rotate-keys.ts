import type { Wake } from '../kernel/unit.ts'
import { handler } from '../kernel/work/handler.ts'
import { workAt } from '../kernel/work/records.ts'
import { type IssuerKeyRing, issuerKeyRings } from './records.ts'
import { nextTidy, tidy } from './ring.ts'

const kind = 'issuerKeyUpkeep'

/** Wipes the seeds of keys that no longer sign, and later drops the keys. Which key signs depends on times alone. */
export const issuerKeyUpkeep = handler({
  kind,
  async run(unit, { ref }) {
    const { ring } = await unit.ask({ ring: issuerKeyRings.get(ref) })
    if (!ring) return null
    const tidied = tidy(ring.row, unit.now)
    unit.put(issuerKeyRings, tidied, ring)
    return nextTidy(tidied)
  },
})

/** Schedules the upkeep of a ring that was rotated. `now`: ms. */
export function upkeepOf(ring: IssuerKeyRing, now: number): Wake {
  const { tenantId } = ring
  return workAt({ kind, ref: tenantId, tenantId, due: nextTidy(ring) ?? now })
}
