import type { EvidenceDocument } from '../proof/model.ts'

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
] as const

type Cell = string | number | null

/** What a session's CSV tells. */
export type Tabular = Pick<EvidenceDocument, 'session' | 'steps' | 'policyResults' | 'reviewCases'>

/**
 * The structure of a session as CSV (RFC 4180, CRLF): the session, then its steps by start; no content. A cell that a
 * spreadsheet could take for a formula begins with `'`.
 */
export function csvOf(document: Tabular): string {
  const { session } = document
  const own = [session.applicationId, session.sessionId] as const
  return csvText(csvColumns, [
    [
      'session',
      ...own,
      null,
      null,
      session.origin,
      session.agent?.name ?? null,
      session.status,
      session.startedAt,
      session.endedAt,
      session.durationMs,
      session.models.join(';'),
      session.inputTokens,
      session.outputTokens,
      null,
      ...judged(document, null),
      session.payloadStatus,
    ],
    ...document.steps.map((step): readonly Cell[] => [
      'step',
      ...own,
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
      ...judged(document, step.stepId),
      step.payloadStatus,
    ]),
  ])
}

/** Effects and cases of the session itself, or of a step. */
function judged({ policyResults, reviewCases }: Tabular, stepId: string | null): readonly Cell[] {
  const effects = policyResults.filter((result) => result.stepId === stepId)
  const cases = reviewCases.filter((review) => review.stepId === stepId)
  return [
    [...new Set(effects.map(({ effect }) => effect))].join(';'),
    cases.map(({ reviewCaseId }) => reviewCaseId).join(';'),
  ]
}

/** Rows under a header, as RFC 4180 has it. */
export function csvText(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join()}\r\n`).join('')
}

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
