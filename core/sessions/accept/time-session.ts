import type { Versioned } from '../../base/ports/store.ts'
import type { StoredSession } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Parts } from '../../kernel/ports.ts'
import { completion, sealAfter } from '../work-kinds.ts'
import type { First } from './read-first.ts'

/** Schedules a session's completion, sooner once its root has ended; once completed, the seal of its late steps. */
export function timeSession(
  { now }: UnitOfWork,
  before: Versioned<StoredSession> | null,
  after: StoredSession,
  waiting: Pick<First, 'completion' | 'seal'>,
): Parts {
  if (after.completedAt !== null) return sealAfter(after, now, waiting.seal)
  const sooner = after.rootEnded && !before?.row.rootEnded
  if (waiting.completion && !sooner) return {}
  return { puts: [completion(after, waiting.completion)] }
}
