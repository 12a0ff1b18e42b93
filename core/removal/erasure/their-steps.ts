import type { Versioned } from '../../base/ports/store.ts'
import { type SessionKey, steps } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, inTurn, one } from '../../kernel/ledger/reads.ts'
import type { ReviewCase } from '../../review/records.ts'

/** A data subject's part in a session: all but the steps of others where it is theirs, else their own steps. */
export interface SessionShare extends SessionKey {
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** The session is theirs. */
  readonly own: boolean
}

/**
 * Which of these steps are in a subject's share of a session; null means the session itself. A step that never came
 * counts as the session's.
 */
export async function theirSteps(
  unit: UnitOfWork,
  { tenantId, applicationId, sessionId, dataSubjectId, own }: SessionShare,
  stepIds: readonly (string | null)[],
): Promise<ReadonlySet<string | null>> {
  const asked = [...new Set(stepIds)]
  // A span's step has no scope, a submitted one that of its session.
  const found = await unit.read(
    asked.flatMap((stepId) =>
      ['', sessionId].map((scope) => get(steps, [tenantId, applicationId, scope, stepId ?? ''])),
    ),
  )
  const ofNext = inTurn(found)
  return new Set(
    asked.filter((stepId) => {
      const named = ofNext(2)
        .map((each) => one(steps, each)?.row)
        .find((row) => stepId !== null && row?.sessionId === sessionId)?.dataSubjectId
      return named === null || named === undefined ? own : named === dataSubjectId
    }),
  )
}

/**
 * Those of these cases of a session that are in a subject's share of it: a case is of whom its opening named, else of
 * whom its step, or the session, is of.
 */
export async function theirCases(
  unit: UnitOfWork,
  share: SessionShare,
  cases: readonly Versioned<ReviewCase>[],
): Promise<readonly Versioned<ReviewCase>[]> {
  const theirs = await theirSteps(
    unit,
    share,
    cases.map(({ row }) => row.stepId),
  )
  return cases.filter(({ row: { dataSubjectId, stepId } }) =>
    dataSubjectId === null ? theirs.has(stepId) : dataSubjectId === share.dataSubjectId,
  )
}
