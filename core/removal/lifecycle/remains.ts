import type { Key, Put } from '../../base/ports/store.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { schedule } from '../../kernel/work/records.ts'
import type { PurgeDeps } from './deps.ts'
import { deliveryParts, owesStill } from './purge-deliveries.ts'
import type { PurgeOwner } from './purge-part.ts'

/** The kind of the work item behind a purge; its `ref` is the application. */
export const remainsKind = 'purge.remains'
const everyMs = 60 * 60 * 1_000

/** How far a look has come; kept in the work item. */
interface Look {
  /** The application's own record is unreadable in the files. */
  readonly scrubbed: boolean
  readonly part: number
  readonly after: Key | null
}

const first: Look = { scrubbed: false, part: 0, after: null }

/** Schedules the clean-up behind a purge. */
export function remainsPut({ tenantId, applicationId }: PurgeOwner, now: number): Put {
  return schedule({
    kind: remainsKind,
    ref: applicationId,
    tenantId,
    applicationId: null,
    due: now,
    state: first,
  })
}

/** Removes the deliveries that outlived their application, once they have ended; the purge's own event stays. */
export function createRemains({ scrub }: Pick<PurgeDeps, 'scrub'>): WorkHandler {
  return {
    kind: remainsKind,
    async run({ tenantId, ref: applicationId, state }, unit) {
      if (tenantId === null) return { next: null }
      const look = (state as Look | null) ?? first
      if (!look.scrubbed) {
        await scrub()
        return { next: unit.now, state: { ...look, scrubbed: true } satisfies Look }
      }
      const owner: PurgeOwner = { tenantId, applicationId }
      const part = deliveryParts[look.part]
      if (part) {
        const { set, after } = await part.remove(unit, owner, look.after)
        const next = after === null ? look.part + 1 : look.part
        return { set, next: unit.now, state: { ...look, part: next, after } satisfies Look }
      }
      if (!(await owesStill(unit, owner))) return { next: null }
      return { next: unit.now + everyMs, state: { ...first, scrubbed: true } satisfies Look }
    },
  }
}
