import type { UnitOfWork } from '../ledger/ledger.ts'
import { list, many } from '../ledger/reads.ts'
import type { ChangeSet, Put } from '../ports/store.ts'
import { callbackReads, erasedCase, holdsContent } from '../review/erase-case.ts'
import { reviewCases } from '../review/records.ts'
import { ofSession } from '../sessions/records.ts'
import type { ErasureDeps } from './deps.ts'
import { type SessionShare, theirSteps } from './their-steps.ts'

/** Cases that one read brings: each may hold megabytes. */
export const casePiece = 4
/** How long until a case whose outcome is being sent is looked at again; it is sent for a day at most. */
export const callbackCheckMs: number = 10 * 60 * 1_000

/** A bounded piece of a session's cases. */
export interface CasePiece {
  readonly puts: readonly Put[]
  readonly removes: NonNullable<ChangeSet['removes']>
  readonly count: number
  readonly done: boolean
}

/**
 * Cases of a subject's share of a session without what callers wrote. An open one is cancelled first, and the outcome of
 * a closed one is waited for.
 */
export async function erasedCases(
  deps: Pick<ErasureDeps, 'cancelCase'>,
  unit: UnitOfWork,
  share: SessionShare,
  skip: number,
): Promise<CasePiece | 'under_way'> {
  const [found] = await unit.read([
    list(reviewCases, { by: 'byCheckpoint', where: ofSession(share), skip, take: casePiece }),
  ])
  const all = many(reviewCases, found)
  const written = all.filter(({ row }) => holdsContent(row))
  const theirs = await theirSteps(
    unit,
    share,
    written.map(({ row }) => row.stepId),
  )
  const rows = written.filter(({ row }) => theirs.has(row.stepId))
  const open = rows.filter(({ row }) => row.state === 'open')
  for (const { row } of open) await deps.cancelCase(row.reviewCaseId, 'checkpoint_unavailable')
  if (open.length > 0 || rows.some(({ row }) => row.callback.state === 'pending'))
    return 'under_way'
  const changes = await Promise.all(
    rows.map(async (row) => erasedCase(row, await unit.read(callbackReads(row.row)))),
  )
  return {
    puts: changes.flatMap(({ puts }) => puts),
    removes: changes.flatMap(({ removes }) => removes),
    count: rows.length,
    done: all.length < casePiece,
  }
}
