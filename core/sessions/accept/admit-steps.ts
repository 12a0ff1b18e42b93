import type { StoredSession } from '../../content/records.ts'
import type { RejectionReason } from '../../content/span.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'
import { lateMs } from '../session-state.ts'
import type { IncomingStep } from './incoming.ts'
import type { Openings } from './openings.ts'
import type { First } from './read-first.ts'

type Rejection = Extract<RejectionReason, 'over_quota' | 'too_late' | 'session_full'>

/** Which steps of one unit of work are stored, and which are not. */
export interface Admitted {
  /** New steps, each once. */
  readonly fresh: readonly IncomingStep[]
  /** How many are stored already. */
  readonly known: number
  readonly rejected: { readonly reason: Rejection; readonly steps: number } | null
  /** Steps whose trace belongs to another session by now; they must be placed again. */
  readonly moved: readonly IncomingStep[]
}

/** Sorts incoming steps into new, stored, moved and rejected: by the session's size and completion, and the quota. */
export function admitSteps(
  unit: UnitOfWork,
  incoming: readonly IncomingStep[],
  first: First,
  {
    sessionId,
    quota,
    openings,
  }: { readonly sessionId: string; readonly quota: number | null; readonly openings: Openings },
): Admitted {
  const session = first.session?.row ?? null
  const { fresh: all, known, moved } = sortOut(incoming, first, sessionId)
  const fits = () => all.length === 0 || openings.admits(sessionId, first.used, quota)
  const reason = rejection(unit, session, fits)
  const room = Math.max(0, ingestLimits.stepsPerSession - (session?.tally.steps ?? 0))
  const fresh = reason === null ? all.slice(0, room) : []
  const left = all.length - fresh.length
  const rejected = left > 0 ? { reason: reason ?? 'session_full', steps: left } : null
  return { fresh, known, rejected, moved }
}

function sortOut(
  incoming: readonly IncomingStep[],
  { known, tracesById }: First,
  sessionId: string,
): Omit<Admitted, 'rejected'> {
  const fresh = new Map<string, IncomingStep>()
  const moved: IncomingStep[] = []
  let before = 0
  for (const [at, step] of incoming.entries()) {
    const trace = step.trace && tracesById.get(step.trace.traceId)
    const { stepId } = step.facts
    if (known[at] || fresh.has(stepId)) before++
    else if (trace && step.trace?.sessionId === null && trace.row.sessionId !== sessionId)
      moved.push(step)
    else fresh.set(stepId, step)
  }
  return { fresh: [...fresh.values()], known: before, moved }
}

function rejection(
  unit: UnitOfWork,
  session: StoredSession | null,
  fits: () => boolean,
): Rejection | null {
  if (!session) return fits() ? null : 'over_quota'
  if (session.origin === 'submission') return 'too_late'
  const { completedAt } = session
  return completedAt !== null && unit.now > completedAt + lateMs ? 'too_late' : null
}
