import type { Act } from './deciding.ts'

/** What was typed and chosen for a case, kept in memory until it is sent or the tab is closed. */
export interface FormDraft {
  readonly act: Act | null
  readonly comment: string
  readonly question: string
  readonly response: string
  readonly entered: Readonly<Record<string, string>>
  readonly colleague: string
}

export const emptyDraft: FormDraft = {
  act: null,
  comment: '',
  question: '',
  response: '',
  entered: {},
  colleague: '',
}

/** Of each member and case, so that nobody finds what somebody else typed. */
const drafts = new Map<string, FormDraft>()
const keyOf = (memberId: string, reviewCaseId: string) => `${memberId} ${reviewCaseId}`

/** What was typed before; what was chosen is chosen again, so that sending is never the only act. */
export function draftOf(memberId: string, reviewCaseId: string): FormDraft {
  return { ...(drafts.get(keyOf(memberId, reviewCaseId)) ?? emptyDraft), act: null }
}

export function keepDraft(memberId: string, reviewCaseId: string, draft: FormDraft): void {
  drafts.set(keyOf(memberId, reviewCaseId), draft)
}

export function dropDraft(memberId: string, reviewCaseId: string): void {
  drafts.delete(keyOf(memberId, reviewCaseId))
}
