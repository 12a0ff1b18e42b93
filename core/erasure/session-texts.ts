import { put } from '../ledger/reads.ts'
import type { Collection, Key, Versioned } from '../ports/store.ts'
import { keyIn, pageAfter } from '../sealing/pages.ts'
import { sessionFlags } from '../signals/flags/records.ts'
import { sessionAnnotations, sessionReviews } from '../signals/sessions/records.ts'
import type { PartOwner, SessionPart } from './deps.ts'

const rowPiece = 100

/** Nulls a text that members wrote about a session, in bounded pieces. */
function texts<R extends PartOwner>(
  collection: Collection<R>,
  member: keyof R & string,
  counts: SessionPart['counts'],
): SessionPart {
  return {
    counts,
    async erase(unit, { tenantId, applicationId, sessionId }) {
      for (let after: Key | null = null; ; ) {
        const page: readonly Versioned<R>[] = await pageAfter(unit, collection, {
          where: [
            ['tenantId', '=', tenantId],
            ['applicationId', '=', applicationId],
            ['sessionId', '=', sessionId],
          ],
          after,
          take: rowPiece,
        })
        const written = page.filter(({ row }) => row[member] !== null)
        if (written.length > 0)
          return {
            set: {
              puts: written.map((was) => put(collection, { ...was.row, [member]: null }, was)),
            },
            count: written.length,
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
  texts(sessionAnnotations, 'text', 'annotations'),
  texts(sessionFlags, 'note', null),
  texts(sessionReviews, 'comment', null),
]
