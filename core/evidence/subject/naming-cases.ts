import { markedReader } from '../../content/erasure-marks.ts'
import { rowsOf } from '../../kernel/ledger/pages.ts'
import { withoutContent } from '../../review/erase-case.ts'
import { caseView } from '../../review/present-case.ts'
import { casesNaming, type ReviewCase, reviewCases } from '../../review/records.ts'
import type { CaseView } from '../../review/shapes.ts'
import type { CaseHost } from '../assemble/document.ts'
import type { ReportTally } from './access-report.ts'
import { withoutMembers } from './portable.ts'
import type { SubjectData } from './subject-data.ts'

/** Cases that one read brings: each may hold megabytes. */
const casePiece = 4

/**
 * The cases whose openings named the subject and that no session of theirs shows, one in memory at a time. While
 * an erasure of the subject is at work they are without texts.
 */
export async function* casesApart({
  reader,
  tenant,
  dataSubjectId,
  applicationIds,
  sessions,
}: SubjectData): AsyncGenerator<ReviewCase, void, undefined> {
  const { tenantId } = tenant
  const nameOf = (of: { readonly applicationId: string; readonly sessionId: string }) =>
    JSON.stringify([of.applicationId, of.sessionId])
  const shown = new Set(sessions.map(nameOf))
  const marked = markedReader(reader.read, tenantId)
  for (const applicationId of applicationIds) {
    const naming = casesNaming({ tenantId, dataSubjectId, applicationId })
    for await (const review of rowsOf(marked, reviewCases, { ...naming, take: casePiece })) {
      if (shown.has(nameOf(review))) continue
      const isErased = marked.erasing().has(applicationId, dataSubjectId)
      yield isErased ? withoutContent(review) : review
    }
  }
}

/** These cases as the subject gets them, with what was shown to the reviewer. Adds each to the report. */
export async function* portableCases(
  host: CaseHost,
  subject: SubjectData,
  report: ReportTally,
): AsyncGenerator<CaseView, void, undefined> {
  for await (const review of casesApart(subject)) {
    addCase(report, review)
    yield withoutMembers(caseView(review, { kind: 'system' }, host))
  }
}

/** Adds a case that no session of the report has. */
export function addCase(tally: ReportTally, { state }: Pick<ReviewCase, 'state'>): void {
  tally.cases++
  if (state === 'decided') tally.decidedCases++
}
