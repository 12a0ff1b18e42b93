import { type Application, applications, purgeKind } from '../../applications/records.ts'
import type { Key } from '../../base/ports/store.ts'
import { pageAfter } from '../../kernel/ledger/pages.ts'
import { peek } from '../../kernel/query.ts'
import { handler, type WorkUnit } from '../../kernel/work/handler.ts'
import { workAt, workItems } from '../../kernel/work/records.ts'
import { purges } from './records.ts'

const dayMs = 24 * 60 * 60 * 1_000
/** Of the day, UTC (interface, Limits). */
const sweepMs = 2 * 60 * 60 * 1_000
/** Applications that one run looks at. */
const piece = 50

const states = ['pending_deletion', 'purging'] as const

/** How far a sweep has come, or when the next begins; kept in the work item. */
interface Sweep {
  /** Ms: it does not begin earlier. */
  readonly from: number
  readonly state: number
  readonly after: Key | null
}

/** The next 02:00 UTC behind a time in ms. */
export function nextSweep(now: number): number {
  const today = Math.floor(now / dayMs) * dayMs + sweepMs
  return today > now ? today : today + dayMs
}

/**
 * Daily at 02:00 UTC: schedules purges that are due and that no work item carries, those of a resolved failure among
 * them. A poisoned one stays where it is.
 */
export const purgeSweep = handler<Sweep | null>({
  kind: 'purge.sweep',
  of: 'system',
  permanent: ['all'],
  async run(unit, { state: sweep }) {
    // A process that starts makes the item due: the sweep itself waits for its time.
    if (sweep && unit.now < sweep.from) return { next: sweep.from, state: sweep }
    const lifecycleState = states[sweep?.state ?? states.length]
    if (!sweep || !lifecycleState) {
      const from = nextSweep(unit.now)
      return { next: from, state: { from, state: 0, after: null } }
    }
    const page = await pageAfter(unit, applications, {
      by: 'byLifecycle',
      where: [['lifecycleState', '=', lifecycleState]],
      after: sweep.after,
      take: piece,
    })
    for (const { row } of page) await takeUp(unit, row)
    const last = page.at(-1)?.row
    const state: Sweep =
      last && page.length === piece
        ? { ...sweep, after: [last.tenantId, last.applicationId] }
        : { ...sweep, state: sweep.state + 1, after: null }
    return { next: unit.now, state }
  },
})

/** Schedules a purge that the queue missed. */
async function takeUp(
  unit: WorkUnit<'system'>,
  { tenantId, applicationId, deletion }: Application,
): Promise<void> {
  const item = workItems.get(purgeKind, applicationId)
  const purge = purges.get(tenantId, applicationId)
  const why = 'a purge at work changes both with each piece'
  const seen = await unit.ask({ item: peek(item, why), purge: peek(purge, why) })
  if (seen.item || seen.purge?.row.state === 'poisoned') return
  const missed = await unit.ask({ item, purge })
  if (missed.item) return
  const due = missed.purge ? unit.now : Math.max(unit.now, deletion?.purgeAt ?? unit.now)
  unit.wake(workAt({ kind: purgeKind, ref: applicationId, tenantId, due }))
  if (missed.purge)
    unit.put(purges, { ...missed.purge.row, state: 'queued', attempts: 0 }, missed.purge)
}
