import type { QueuedCaseAnswer } from '@countersign/client'

/** A row of the queue as it is drawn: the row that was there when the list was shown, and what became of it. */
export interface DrawnRow {
  readonly row: QueuedCaseAnswer
  /** It is in the list no more, so it stays in its place without a colour. */
  readonly hasEnded: boolean
}

/** What is other than what is drawn; it is told, and drawn only when it is asked for. */
export interface News {
  readonly added: number
  readonly taken: number
  readonly ended: number
  readonly answered: number
}

export const noNews: News = { added: 0, taken: 0, ended: 0, answered: 0 }

/** Compares the rows that are drawn with those that were found. `isWhole`: the found ones are all there are. */
export function newsOf(
  drawn: readonly QueuedCaseAnswer[],
  found: readonly QueuedCaseAnswer[],
  isWhole: boolean,
): { readonly rows: readonly DrawnRow[]; readonly news: News } {
  const known = new Map(found.map((row) => [row.reviewCaseId, row]))
  const before = new Set(drawn.map(({ reviewCaseId }) => reviewCaseId))
  const last = found.at(-1)
  const wasReached = ({ dueAt }: QueuedCaseAnswer) => isWhole || (last && dueAt < last.dueAt)
  const rows = drawn.map((row) => ({
    row,
    hasEnded: !known.has(row.reviewCaseId) && wasReached(row) === true,
  }))
  const count = (is: (was: QueuedCaseAnswer, now: QueuedCaseAnswer) => boolean) =>
    drawn.filter((was) => {
      const now = known.get(was.reviewCaseId)
      return now !== undefined && is(was, now)
    }).length
  const lastDrawn = drawn.at(-1)
  const isAmongDrawn = ({ dueAt }: QueuedCaseAnswer) =>
    isWhole || lastDrawn === undefined || dueAt <= lastDrawn.dueAt
  return {
    rows,
    news: {
      added: found.filter((row) => !before.has(row.reviewCaseId) && isAmongDrawn(row)).length,
      taken: count((was, now) => now.assignee?.memberId !== was.assignee?.memberId),
      ended: rows.filter(({ hasEnded }) => hasEnded).length,
      answered: count((was, now) => now.followUp === 'answered' && was.followUp !== 'answered'),
    },
  }
}

/** News in words; empty where there is none. */
export function newsText({ added, taken, ended, answered }: News): string {
  return [
    added > 0 && `${added} new`,
    taken > 0 && `${taken} taken or handed over`,
    answered > 0 && `${answered} answered`,
    ended > 0 && `${ended} ended`,
  ]
    .filter(Boolean)
    .join(', ')
}
