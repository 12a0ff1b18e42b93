import type { Put, Versioned } from '../base/ports/store.ts'
import type { SessionKey, StoredSession } from '../content/records.ts'
import type { Parts } from '../kernel/ports.ts'
import { type Query, rowUnder } from '../kernel/query.ts'
import { schedule, type WorkItem, workItems } from '../kernel/work/records.ts'
import { completeAt } from './session-state.ts'

/** Completes a session that has gone quiet. */
export const completionKind = 'ingest.complete'
/** Moves the steps of a session whose trace named another. */
export const rehomeKind = 'ingest.rehome'
/** Judges a session's steps again, by rules that read the session. */
export const rejudgeKind = 'ingest.rejudge'
/** Seals an application's completed sessions and the review cases that have ended. */
export const sealKind = 'ingest.seal'
/** How long what is to be sealed waits for others to be sealed with it. */
export const sealDelayMs = 10_000
/** Anchors a tenant's batches. */
export const anchorKind = 'ingest.anchor'

/** Asks a ledger elsewhere what became of a tenant's entries. */
export const anchorRefreshKind = 'ingest.anchorRefresh'
/** Asks a time-stamping authority for stamps of a tenant's entries. */
export const timeStampKind = 'ingest.timeStamp'

/** An item of one session; unique, since an application's id is unique and has no slash. */
export function sessionRef(applicationId: string, sessionId: string): string {
  return `${applicationId}/${sessionId}`
}

/**
 * Begins to judge a session's stored steps again, also where that is under way: its commit conflicts, and it begins again
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

/** An item, for `ensureScheduled` and those below. */
export function workItem(kind: string, ref: string): Query<Versioned<WorkItem> | null> {
  return rowUnder(workItems, [kind, ref])
}

type Scheduled = Required<Pick<Parts, 'puts' | 'checks'>>

/** What a seal's item holds that was put over one that ran: another run follows its own, whatever that one finds. */
export type SealState = 'followed' | null

/**
 * The seal of what waits for one in an application, after this commit. A run that is under way is put out once at most:
 * more would come in time for each run where much ends at once, and none would ever be committed.
 */
export function sealAfter(
  { tenantId, applicationId }: Pick<SessionKey, 'tenantId' | 'applicationId'>,
  due: number,
  was: Versioned<WorkItem> | null,
): Scheduled {
  const item = { kind: sealKind, ref: applicationId, tenantId, applicationId, due }
  if (!was || was.leasedBy === null) return ensureScheduled(item, was)
  if (was.row.state === 'followed') return unchanged(was)
  return { puts: [schedule({ ...item, state: 'followed' }, was)], checks: [] }
}

/** The anchoring of a tenant's batches, after this commit. */
export function anchorAfter(
  tenantId: string,
  due: number,
  was: Versioned<WorkItem> | null,
): Scheduled {
  const item = { kind: anchorKind, ref: tenantId, tenantId, applicationId: null, due }
  return ensureScheduled(item, was)
}

/** The completion of a session, unless more comes. */
export function completion(session: StoredSession, was: Versioned<WorkItem> | null): Put {
  const { tenantId, applicationId, sessionId } = session
  const ref = sessionRef(applicationId, sessionId)
  const due = completeAt(session)
  return schedule({ kind: completionKind, ref, tenantId, applicationId, due }, was)
}

/**
 * Sees to it that an item runs after this commit: a new one, or the check that the one that waits has not been claimed,
 * since its run might have read before.
 */
export function ensureScheduled(
  item: Omit<WorkItem, 'claims' | 'state'>,
  was: Versioned<WorkItem> | null,
): Scheduled {
  if (!was || was.leasedBy !== null) return { puts: [schedule(item, was)], checks: [] }
  return unchanged(was)
}

/** The check that an item is as it was read. */
function unchanged({ row: { kind, ref }, version }: Versioned<WorkItem>): Scheduled {
  return { puts: [], checks: [{ in: workItems.name, key: [kind, ref], version }] }
}
