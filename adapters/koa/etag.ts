import { type Result, refuse } from '@countersign/core/ledger'

export interface CaseTag {
  readonly caseVersion: number
  readonly eventSequence: number
}

/** `"<caseVersion>.<eventSequence>"` (decisions 3). */
export function formatCaseTag(tag: CaseTag): string {
  return `"${tag.caseVersion}.${tag.eventSequence}"`
}

/** If-Match with exactly one strong tag of ours, or null where the header is absent. */
export function parseIfMatch(header: string): Result<CaseTag | null> {
  if (header === '') return { ok: true, value: null }
  const match = /^"(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})"$/.exec(header.trim())
  if (!match) {
    return refuse(
      'precondition_failed',
      `expected If-Match as the ETag of a case, such as "3.4", got ${header}`,
    )
  }
  return { ok: true, value: { caseVersion: Number(match[1]), eventSequence: Number(match[2]) } }
}
