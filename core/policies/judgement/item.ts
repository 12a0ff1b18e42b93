import type { Found, Put, Read, Versioned } from '../../base/ports/store.ts'
import { slotOf } from '../../content/activity/fold-activity.ts'
import { slotMs } from '../../content/activity/records.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import type { Wake } from '../../kernel/unit.ts'
import { schedule, type WorkItem, workItems } from '../../kernel/work/records.ts'

/** Judges an organization's alert rules and health; one item a tenant, which stays. */
export const judgementKind = 'organization.judgement'
/** A commit that takes longer than this after its time is not counted, ms. */
export const settleMs = 10_000

/** What the item keeps: activity up to this time (ms, the begin of a slot) is in the minutes. */
export interface Progress {
  readonly foldedUntil: number
}

/** The read whose answer `judgeAfter` takes. */
export function judgementItemOf(tenantId: string): Read {
  return get(workItems, [judgementKind, tenantId])
}

/** The first judgement that counts what happens at a time. */
export function judgedAt(at: number): number {
  return slotOf(at) + slotMs + settleMs
}

/**
 * Sees to a judgement soon after ingest: at most one every 10 s. One that runs is left alone; it looks again by itself
 * while sessions complete.
 */
export function judgeAfter(
  { tenantId, now }: { readonly tenantId: string; readonly now: number },
  found: Found | undefined,
): readonly Put[] {
  const was = one(workItems, found)
  const due = judgedAt(now)
  if (was && (was.leasedBy !== null || was.row.due <= due)) return []
  return [itemPut(tenantId, due, was)]
}

/**
 * Judges immediately. Every change of the set of a tenant's rules writes the item, so that concurrent changes conflict and
 * a judgement under way begins again.
 */
export function judgement(tenantId: string): Wake {
  return {
    item: judgementItemOf(tenantId),
    schedule: (now, found) => itemPut(tenantId, now, one(workItems, found)),
  }
}

/**
 * Judges immediately an organization that was judged before: an application came or went. A judgement under way begins
 * again.
 */
export function judgementAgain(tenantId: string): Wake {
  return {
    item: judgementItemOf(tenantId),
    schedule(now, found) {
      const was = one(workItems, found)
      return was && itemPut(tenantId, now, was)
    },
  }
}

function itemPut(tenantId: string, due: number, was: Versioned<WorkItem> | null): Put {
  const item = { kind: judgementKind, ref: tenantId, tenantId, applicationId: null, due }
  return schedule({ ...item, state: was?.row.state ?? null }, was)
}
