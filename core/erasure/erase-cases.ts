import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one, put } from '../ledger/reads.ts'
import type { ChangeSet, Put, Versioned } from '../ports/store.ts'
import {
  callbackIds,
  callbackReads,
  callbackRemovals,
  holdsContent,
  withoutContent,
} from '../review/erase-case.ts'
import { type ReviewCase, reviewCases } from '../review/records.ts'
import { ofSession } from '../sessions/records.ts'
import { owedOutcome } from './end-cases.ts'
import { owedOutcomes } from './records.ts'
import { type SessionShare, theirSteps } from './their-steps.ts'

/** Cases that one read brings: each may hold megabytes. */
export const casePiece = 4

/** A bounded piece of a session's cases. */
export interface CasePiece {
  readonly puts: readonly Put[]
  readonly removes: NonNullable<ChangeSet['removes']>
  readonly count: number
  readonly done: boolean
}

/**
 * Closed cases of a subject's share of a session without what callers wrote. The outcome of one that is still being sent
 * is kept until that ends.
 */
export async function erasedCases(
  unit: UnitOfWork,
  erasureRequestId: string,
  share: SessionShare,
  skip: number,
): Promise<CasePiece> {
  const [found] = await unit.read([
    list(reviewCases, { by: 'byCheckpoint', where: ofSession(share), skip, take: casePiece }),
  ])
  const all = many(reviewCases, found)
  const written = all.filter(({ row }) => row.state !== 'open' && holdsContent(row))
  const theirs = await theirSteps(
    unit,
    share,
    written.map(({ row }) => row.stepId),
  )
  const rows = written.filter(({ row }) => theirs.has(row.stepId))
  const isOwed = ({ row }: Versioned<ReviewCase>) => row.callback.state === 'pending'
  const known = await unit.read(
    rows.map(({ row }) => get(owedOutcomes, [erasureRequestId, row.reviewCaseId])),
  )
  const removals = await Promise.all(
    rows
      .filter((each) => !isOwed(each))
      .map(async ({ row }) => {
        const place = { applicationId: row.applicationId, callbackIds: callbackIds(row) }
        return callbackRemovals(place, await unit.read(callbackReads(place)))
      }),
  )
  return {
    puts: rows.flatMap((was, at) => [
      put(reviewCases, withoutContent(was.row), was),
      // Of one that the application has written to since, the ids were noted before.
      ...(one(owedOutcomes, known[at]) ? [] : owedOutcome(erasureRequestId, was.row)),
    ]),
    removes: removals.flat(),
    count: rows.length,
    done: all.length < casePiece,
  }
}
