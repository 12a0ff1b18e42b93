import { caseBytes, caseBytesToClose } from '../../kernel/ledger/limits.ts'
import { type Refusal, refuse } from '../../kernel/ledger/refusal.ts'
import type { ReviewCase } from '../records.ts'
import type { CaseCommand } from './command.ts'

const utf8 = new TextEncoder()

/** Bytes of what callers gave a case: documents, questions, answers, comments. */
export function sizeOf(review: ReviewCase): number {
  const { presentation, policyResults, resumeToken, followUps } = review
  const { reviewerComment, response, continuation } = review
  const given = [presentation, policyResults, resumeToken, followUps]
  return utf8.encode(JSON.stringify([...given, reviewerComment, response, continuation])).length
}

/** How large a step may leave the case; steps without an entry are never refused for its size. */
const most: Readonly<Partial<Record<CaseCommand['type'] | 'open', number>>> = {
  open: caseBytes - caseBytesToClose,
  adopt: caseBytes - caseBytesToClose,
  request_follow_up: caseBytes - caseBytesToClose,
  answer_follow_up: caseBytes - caseBytesToClose,
  decide: caseBytes,
}

/** The refusal of a step that leaves the case larger than it may be. */
export function tooLarge(step: CaseCommand['type'] | 'open', after: ReviewCase): Refusal | null {
  const limit = most[step]
  if (limit === undefined) return null
  const size = sizeOf(after)
  if (size <= limit) return null
  return refuse(
    'case_too_large',
    `expected the case to hold at most ${limit} bytes of documents and texts after this, got ${size}`,
  ).refusal
}
