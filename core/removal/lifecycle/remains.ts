import type { Key, Put } from '../../base/ports/store.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
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
  return handler<Look>({
    kind: remainsKind,
    async run(unit, { tenantId, ref: applicationId, state: look }) {
      if (!look.scrubbed) {
        await scrub()
        return { next: unit.now, state: { ...look, scrubbed: true } }
      }
      const owner: PurgeOwner = { tenantId, applicationId }
      const part = deliveryParts[look.part]
      if (part) {
        const { set, after } = await part.remove(unit, owner, look.after)
        unit.include(set)
        const next = after === null ? look.part + 1 : look.part
        return { next: unit.now, state: { ...look, part: next, after } }
      }
      if (!(await owesStill(unit, owner))) return null
      return { next: unit.now + everyMs, state: { ...first, scrubbed: true } }
    },
  })
}
