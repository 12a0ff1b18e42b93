import type { Put, Versioned } from '../../base/ports/store.ts'
import type { StoredSession } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { schedule, type WorkItem } from '../../kernel/work/records.ts'
import type { Consequences } from '../../policies/consequences.ts'
import { completeAt } from '../session-state.ts'
import { completionKind, ensureScheduled, sealKind, sessionRef } from '../work-kinds.ts'

/** Schedules completion, earlier once the root has ended, and the seal of what came late. */
export function timeSession(
  unit: UnitOfWork,
  before: Versioned<StoredSession> | null,
  after: StoredSession,
  completion: Versioned<WorkItem> | null,
  seal: Versioned<WorkItem> | null,
): Pick<Consequences, 'puts' | 'checks'> {
  const { tenantId, applicationId, sessionId } = after
  if (after.completedAt !== null) {
    const item = { kind: sealKind, ref: applicationId, tenantId, applicationId, due: unit.now }
    return ensureScheduled(item, seal)
  }
  const sooner = after.rootEnded && !before?.row.rootEnded
  if (completion && !sooner) return { puts: [], checks: [] }
  const ref = sessionRef(applicationId, sessionId)
  const item = { kind: completionKind, ref, tenantId, applicationId, due: completeAt(after) }
  const puts: readonly Put[] = [schedule(item, completion)]
  return { puts, checks: [] }
}
