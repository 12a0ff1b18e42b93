import type { StepView } from '../content/view.ts'
import type { EvidenceCase, EvidenceDocument } from './model.ts'

/** Columns of a session's CSV, in order. */
export const csvColumns = [
  'row_type',
  'application_id',
  'session_id',
  'step_id',
  'parent_step_id',
  'type',
  'name',
  'status',
  'started_at',
  'ended_at',
  'duration_ms',
  'model',
  'input_tokens',
  'output_tokens',
  'tool_name',
  'policy_effects',
  'review_case_ids',
  'payload_status',
  'incomplete_at_source',
] as const

/** A cell; null is empty. */
export type Cell = string | number | null

/** What the rows of a session and its steps are made of. */
export interface Tabular extends Pick<EvidenceDocument, 'session' | 'policyResults'> {
  readonly reviewCases: readonly Pick<EvidenceCase, 'stepId' | 'reviewCaseId'>[]
}

/**
 * The structure of a session as CSV (RFC 4180, CRLF): the session, then its steps by start; no content. Every text is
 * quoted, and one that a spreadsheet could take for a formula, spaces in front or not, begins with `'`.
 */
export function csvOf(document: Tabular & Pick<EvidenceDocument, 'steps'>): string {
  const rows = [
    csvColumns,
    sessionCells(document),
    ...document.steps.map((step) => stepCells(document, step)),
  ]
  return rows.map(csvRow).join('')
}

/** The row of a session. */
export function sessionCells(table: Tabular): readonly Cell[] {
  const { session } = table
  return [
    'session',
    session.applicationId,
    session.sessionId,
    null,
    null,
    session.origin,
    session.agent?.name ?? null,
    session.status,
    session.startedAt,
    session.endedAt,
    session.durationMs,
    listCell(session.models),
    session.inputTokens,
    session.outputTokens,
    null,
    ...judged(table, null),
    session.payloadStatus,
    String(session.incompleteAtSource === true),
  ]
}

/** The row of a step. */
export function stepCells(table: Tabular, step: StepView): readonly Cell[] {
  return [
    'step',
    table.session.applicationId,
    table.session.sessionId,
    step.stepId,
    step.parentStepId,
    step.type,
    step.name,
    step.status,
    step.startedAt,
    step.endedAt,
    Date.parse(step.endedAt) - Date.parse(step.startedAt),
    step.model,
    step.inputTokens,
    step.outputTokens,
    step.toolName,
    ...judged(table, step.stepId),
    step.payloadStatus,
    null,
  ]
}

/** Effects and cases of the session itself, or of a step. */
function judged({ policyResults, reviewCases }: Tabular, stepId: string | null): readonly Cell[] {
  const effects = policyResults.filter((result) => result.stepId === stepId)
  const cases = reviewCases.filter((review) => review.stepId === stepId)
  return [
    listCell([...new Set(effects.map(({ effect }) => effect))]),
    listCell(cases.map(({ reviewCaseId }) => reviewCaseId)),
  ]
}

/** Texts in one cell. Throws for what is no text, as a document from elsewhere may have and `join` would write. */
function listCell(texts: readonly string[]): string {
  if (texts.some((text) => typeof text !== 'string')) throw new TypeError('expected texts')
  return texts.join(';')
}

/** A byte order mark, by which some spreadsheets know UTF-8. */
export const byteOrderMark = '\ufeff'

/** A row as RFC 4180 has it, with its end. */
export function csvRow(row: readonly Cell[]): string {
  return `${row.map(cellText).join()}\r\n`
}

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  return `"${csvText(cell).replaceAll('"', '""')}"`
}

/** A text as a cell holds it: none that a spreadsheet could take for a formula. */
export function csvText(text: string): string {
  return /^\s*[=+\-@]/.test(text) ? `'${text}` : text
}
