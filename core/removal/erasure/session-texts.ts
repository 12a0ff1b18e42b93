import type { Key, Versioned } from '../../base/ports/store.ts'
import { ofSession } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { keyIn, pageAfter } from '../../kernel/ledger/pages.ts'
import { put } from '../../kernel/ledger/reads.ts'
import {
  annotationTexts,
  flagTexts,
  type MarkTexts,
  reviewTexts,
} from '../../policies/sessions/mark-texts.ts'
import type { PartChange, PartOwner, SessionPart } from './deps.ts'
import type { ErasureCounts } from './records.ts'
import { type SessionShare, theirSteps } from './their-steps.ts'

const rowPiece = 100

/** Nulls, in bounded pieces, texts that members wrote about a session, or about the step that `stepOf` names. */
function texts<R extends PartOwner>(
  { collection, erased }: MarkTexts<R>,
  counts: SessionPart['counts'],
  stepOf: (row: R) => string | null,
): SessionPart {
  const columns = Object.keys(erased) as (keyof R & string)[]
  return {
    counts,
    async erase(unit, share) {
      for (let after: Key | null = null; ; ) {
        const page: readonly Versioned<R>[] = await pageAfter(unit, collection, {
          where: ofSession(share),
          after,
          take: rowPiece,
        })
        const written = page.filter(({ row }) => columns.some((column) => row[column] !== null))
        const theirs = await theirSteps(
          unit,
          share,
          written.map(({ row }) => stepOf(row)),
        )
        const taken = written.filter(({ row }) => theirs.has(stepOf(row)))
        if (taken.length > 0)
          return {
            set: {
              puts: taken.map((was) => put(collection, { ...was.row, ...erased }, was)),
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
  texts(annotationTexts, 'annotations', ({ stepId }) => stepId),
  texts(flagTexts, null, () => null),
  texts(reviewTexts, null, () => null),
]

/** Erases a bounded piece of a subject's share in what rooms hold beside the session itself; null when none is left. */
export async function eraseParts(
  parts: readonly SessionPart[],
  unit: UnitOfWork,
  share: SessionShare,
): Promise<{ readonly set: PartChange['set']; readonly counts: Partial<ErasureCounts> } | null> {
  for (const part of parts) {
    const { counts } = part
    const change = await part.erase(unit, share)
    if (change)
      return { set: change.set, counts: counts === null ? {} : { [counts]: change.count } }
  }
  return null
}
