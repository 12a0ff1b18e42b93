import type { Collection, Found, Read } from '../../base/ports/store.ts'
import { type Erasing, hiddenTexts, type TextPlace } from '../../content/erasure-marks.ts'
import { type SessionFlag, sessionFlags } from '../flags/records.ts'
import {
  type SessionAnnotation,
  type SessionReview,
  sessionAnnotations,
  sessionReviews,
} from './records.ts'

/** What members mark sessions with, and what an erasure leaves of its texts. */
export interface MarkTexts<R extends object> {
  readonly collection: Collection<R>
  readonly erased: Partial<R>
}

export const annotationTexts: MarkTexts<SessionAnnotation> = {
  collection: sessionAnnotations,
  erased: { text: null, label: null },
}

export const flagTexts: MarkTexts<SessionFlag> = {
  collection: sessionFlags,
  erased: { note: null },
}

export const reviewTexts: MarkTexts<SessionReview> = {
  collection: sessionReviews,
  erased: { comment: null },
}

/** Marks as they are shown: without texts where their data subject is being erased. `erasing`: of a read before them. */
export async function shownMarks<R extends TextPlace>(
  reader: { read(reads: readonly Read[]): Promise<readonly Found[]> },
  { erased }: MarkTexts<R>,
  erasing: Erasing,
  rows: readonly R[],
): Promise<readonly R[]> {
  const hidden = await hiddenTexts(reader, erasing, rows)
  return rows.map((row) => (hidden.has(row) ? { ...row, ...erased } : row))
}
