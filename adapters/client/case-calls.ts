import type { IngestApi } from './ingest-api.ts'
import type { CaseAnswer } from './types.ts'

/** What an opening takes. */
export type OpenInput = Parameters<IngestApi['reviewCases']['open']>[0]
/** What a cancellation takes. */
export type CancelInput = Parameters<IngestApi['reviewCases']['cancel']>[0]

/** The operations that waiting for a human needs. */
export interface CaseCalls {
  open(input: OpenInput, signal: AbortSignal): Promise<CaseAnswer>
  read(seen: CaseAnswer, signal: AbortSignal): Promise<CaseAnswer>
  answerFollowUp(seen: CaseAnswer, answer: string, signal: AbortSignal): Promise<CaseAnswer>
  cancel(input: CancelInput, signal: AbortSignal): Promise<CaseAnswer>
}
