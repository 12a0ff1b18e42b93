import { keyIn, pageAfter } from '../ledger/pages.ts'
import { put } from '../ledger/reads.ts'
import type { Collection, Key, Versioned } from '../ports/store.ts'
import { ofSession } from '../sessions/records.ts'
import { sessionFlags } from '../signals/flags/records.ts'
import { sessionAnnotations, sessionReviews } from '../signals/sessions/records.ts'
import type { PartOwner, SessionPart } from './deps.ts'
import { theirSteps } from './their-steps.ts'

const rowPiece = 100

/** Nulls texts that members wrote about a session or, where `stepOf` tells it, a step, in bounded pieces. */
function texts<R extends PartOwner>(
  collection: Collection<R>,
  members: readonly (keyof R & string)[],
  counts: SessionPart['counts'],
  stepOf: (row: R) => string | null,
): SessionPart {
  const nulled = Object.fromEntries(members.map((member) => [member, null]))
  return {
    counts,
    async erase(unit, share) {
      for (let after: Key | null = null; ; ) {
        const page: readonly Versioned<R>[] = await pageAfter(unit, collection, {
          where: ofSession(share),
          after,
          take: rowPiece,
        })
        const written = page.filter(({ row }) => members.some((member) => row[member] !== null))
        const theirs = await theirSteps(
          unit,
          share,
          written.map(({ row }) => stepOf(row)),
        )
        const taken = written.filter(({ row }) => theirs.has(stepOf(row)))
        if (taken.length > 0)
          return {
            set: {
              puts: taken.map((was) => put(collection, { ...was.row, ...nulled }, was)),
            },
            count: taken.length,
          }
        const last = page.at(-1)
        if (!last || page.length < rowPiece) return null
        after = keyIn(collection, last.row)
      }
    },
  }
}

/** What members wrote about a session beside its cases. */
export const sessionTexts: readonly SessionPart[] = [
  texts(sessionAnnotations, ['text', 'label'], 'annotations', ({ stepId }) => stepId),
  texts(sessionFlags, ['note'], null, () => null),
  texts(sessionReviews, ['comment'], null, () => null),
]
