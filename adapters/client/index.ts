export type { CallOptions, CaseReference, FileAnswer, SeenCase } from './call.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { ApiError, type ApiErrorCode, type ApiFault, type LocalCode, nullFor } from './errors.ts'
export type { IngestApi } from './ingest-api.ts'
export { type CalledBack, outcomeOfCase, type ReviewOutcome } from './outcome.ts'
export type { Pages } from './pages.ts'
export type { OnWaiting } from './persist.ts'
export { copyMembers, type OptionNames, readOptions } from './read-options.ts'
export type { ReviewRequest } from './request.ts'
export { untilAborted } from './signals.ts'
export {
  type DecidedCase,
  type DecidedTimes,
  type DecisionFault,
  type RequestedCase,
  requireSigned,
  type SignatureCheck,
} from './signatures.ts'
export type { Surroundings } from './surroundings.ts'
export type * from './types.ts'
export type { WaitOptions } from './wait-options.ts'
