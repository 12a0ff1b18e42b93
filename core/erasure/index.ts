export { createPrivacy } from './create-privacy.ts'
export type { ApplicationPart, ErasureDeps, PartChange, PartOwner, SessionPart } from './deps.ts'
export { createErasure } from './erase.ts'
export { holdOn, holdReads } from './hold-board.ts'
export {
  type ErasureCounts,
  type ErasureReason,
  type ErasureRequest,
  type ErasureStatus,
  erasureReasons,
  erasureRequests,
  type HoldBoard,
  holdBoards,
  type LegalHold,
  legalHolds,
  owedOutcomes,
  type RemovedSubject,
  removedSubjects,
} from './records.ts'
export type { PrivacyUseCases } from './use-cases.ts'
export type { ErasureView, HoldView, SubjectView } from './view.ts'
