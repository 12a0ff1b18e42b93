import type { Check, Put, Read, Versioned } from '../base/ports/store.ts'
import type { SessionKey } from '../content/records.ts'
import { get } from '../kernel/ledger/reads.ts'
import { schedule, type WorkItem, workItems } from '../kernel/work/records.ts'

/** Completes a session that has gone quiet. */
export const completionKind = 'ingest.complete'
/** Moves the steps of a session whose trace named another. */
export const rehomeKind = 'ingest.rehome'
/** Judges a session's steps anew by rules that read the session. */
export const rejudgeKind = 'ingest.rejudge'
/** Seals an application's completed sessions. */
export const sealKind = 'ingest.seal'
/** Anchors a tenant's batches. */
export const anchorKind = 'ingest.anchor'

/** Asks a ledger elsewhere what became of a tenant's entries. */
export const anchorRefreshKind = 'ingest.anchorRefresh'

/** An item of one session; unique, since an application's id is unique and has no slash. */
export function sessionRef(applicationId: string, sessionId: string): string {
  return `${applicationId}/${sessionId}`
}

/**
 * Begins to judge a session's stored steps anew, also where that is under way: its commit conflicts, and it begins again
 * with what the session is now.
 */
export function rejudge(
  { tenantId, applicationId, sessionId }: SessionKey,
  now: number,
  was: Versioned<WorkItem> | null,
): Put {
  const ref = sessionRef(applicationId, sessionId)
  return schedule({ kind: rejudgeKind, ref, tenantId, applicationId, due: now, state: null }, was)
}

/** The session of such an item. */
export function sessionOfRef(ref: string): string {
  return ref.slice(ref.indexOf('/') + 1)
}

/** The read whose answer `ensureScheduled` takes. */
export function workItemOf(kind: string, ref: string): Read {
  return get(workItems, [kind, ref])
}

/**
 * Sees to it that an item runs after this commit: a new one, or the check that the one that waits has not been claimed
 * meanwhile, since its run might have read before.
 */
export function ensureScheduled(
  item: Omit<WorkItem, 'claims' | 'state'>,
  was: Versioned<WorkItem> | null,
): { readonly puts: readonly Put[]; readonly checks: readonly Check[] } {
  if (!was || was.leasedBy !== null) return { puts: [schedule(item, was)], checks: [] }
  const key = [item.kind, item.ref] as const
  return { puts: [], checks: [{ in: workItems.name, key, version: was.version }] }
}
