import type { ChangeSet, Key, Put, Versioned } from '../../base/ports/store.ts'
import { ofSession } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { keyIn, pageAfter } from '../../kernel/ledger/pages.ts'
import { get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { messages } from '../../outbox/records.ts'
import { callbackIdOf } from '../../review/callback/callback-id.ts'
import {
  callbackReads,
  callbackRemovals,
  holdsContent,
  withoutContent,
} from '../../review/erase-case.ts'
import { underOwnKey } from '../../review/outcome-keys.ts'
import { casesNaming, type ReviewCase, reviewCases } from '../../review/records.ts'
import { hasOwnKey } from '../../review/sealing.ts'
import type { ErasureDeps } from './deps.ts'
import { owedOutcome } from './end-cases.ts'
import { type ErasureRequest, owedOutcomes } from './records.ts'
import { type SessionShare, theirCases } from './their-steps.ts'

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
 * is kept until that ends, under a key of its own from now on.
 */
export async function erasedCases(
  deps: ErasureDeps,
  unit: UnitOfWork,
  erasureRequestId: string,
  share: SessionShare,
  skip: number,
): Promise<CasePiece> {
  const [found] = await unit.read([
    list(reviewCases, { by: 'byCheckpoint', where: ofSession(share), skip, take: casePiece }),
  ])
  const all = many(reviewCases, found)
  const rows = await theirCases(unit, share, all.filter(isWritten))
  return {
    ...(await withoutTexts(deps, unit, erasureRequestId, rows)),
    done: all.length < casePiece,
  }
}

/** As `erasedCases`, a piece of the cases whose openings named the subject, wherever they are. */
export async function erasedCasesNaming(
  deps: ErasureDeps,
  unit: UnitOfWork,
  request: ErasureRequest,
  after: Key | null,
): Promise<Omit<CasePiece, 'done'> & { readonly after: Key | null }> {
  const all = await pageAfter(unit, reviewCases, {
    ...casesNaming(request),
    after,
    take: casePiece,
  })
  const last = all.at(-1)
  return {
    ...(await withoutTexts(deps, unit, request.erasureRequestId, all.filter(isWritten))),
    after: last && all.length === casePiece ? keyIn(reviewCases, last.row) : null,
  }
}

function isWritten({ row }: Versioned<ReviewCase>): boolean {
  return row.state !== 'open' && holdsContent(row)
}

async function withoutTexts(
  deps: ErasureDeps,
  unit: UnitOfWork,
  erasureRequestId: string,
  rows: readonly Versioned<ReviewCase>[],
): Promise<Omit<CasePiece, 'done'>> {
  const isOwed = ({ row }: Versioned<ReviewCase>) => row.callback.state === 'pending'
  const known = await unit.read(
    rows.map(({ row }) => get(owedOutcomes, [erasureRequestId, row.reviewCaseId])),
  )
  const owed = rows.filter((each, at) => isOwed(each) && !one(owedOutcomes, known[at]))
  const resealed = await Promise.all(owed.map(({ row }) => outcomesUnderOwnKeys(deps, unit, row)))
  const removals = await Promise.all(
    rows
      .filter((each) => !isOwed(each))
      .map(async ({ row }) => {
        const place = { applicationId: row.applicationId, callbackId: callbackIdOf(row) }
        return callbackRemovals(place, await unit.read(callbackReads(place)))
      }),
  )
  return {
    puts: [
      ...rows.map((was) => put(reviewCases, withoutContent(was.row), was)),
      // Of one that the application has written to since, they were noted before.
      ...owed.flatMap(({ row }) => owedOutcome(erasureRequestId, row)),
      ...resealed.flat(),
    ],
    removes: removals.flat(),
    count: rows.length,
  }
}

async function outcomesUnderOwnKeys(
  deps: ErasureDeps,
  unit: UnitOfWork,
  review: ReviewCase,
): Promise<readonly Put[]> {
  const [found] = await unit.read([get(messages, [callbackIdOf(review)])])
  const was = one(messages, found)
  if (!was || hasOwnKey(was.row.body)) return []
  const own = underOwnKey(deps, was.row, review)
  return [put(messages, own.message, was), own.put]
}
