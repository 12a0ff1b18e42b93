import type { QueuedCaseAnswer } from '@countersign/client'
import { plainLine } from '../case/safe-text.ts'
import { reasonOf } from '../case/words.ts'
import type { Column } from '../parts/rows.tsx'
import { to } from '../paths.ts'

/** What a case of a list is about, by the words of its application, as a link to its page. */
export const caseColumn: Column<QueuedCaseAnswer> = {
  head: 'What (application’s words)',
  cell: ({ reviewCaseId, title, reasonCategory }) => (
    <a href={to(`/cases/${encodeURIComponent(reviewCaseId)}`)}>
      {title === null ? `Case: ${reasonOf(reasonCategory)}` : plainLine(title)}
    </a>
  ),
}
