import type { EvidenceCase } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { type Column, listing, timeOf, wordsOf } from './parts.ts'

const columns: readonly Column[] = [
  { title: 'Event', width: 30, align: 'right' },
  { title: 'History of the case', width: 150 },
  { title: 'Time', width: 130 },
  { title: 'By', width: 110 },
  { title: 'Case version', width: 48, align: 'right' },
]

/** Every step of a case, as it was recorded: what happened, when and by whom. */
export function historyOf({ history }: Pick<EvidenceCase, 'history'>): readonly Content[] {
  if (history.length === 0) return []
  return [
    listing(
      columns,
      history.map(({ eventSequence, step, at, actor, caseVersion }) => [
        eventSequence,
        wordsOf(step),
        timeOf(at),
        actorWords(actor),
        caseVersion,
      ]),
    ),
  ]
}

/** Whose step it was: `member:<id>`, `application:<id>` or `system`. */
function actorWords(actor: string): string {
  return actor === 'system' ? 'the service' : actor.replace(':', ' ')
}
