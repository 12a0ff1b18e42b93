export type { ApplicationPart, ErasureDeps, PartChange, PartOwner, SessionPart } from './deps.ts'
export { createErasure } from './erase.ts'
export { holdOn, holdReads } from './hold-board.ts'
export {
  type ErasureCounts,
  type ErasureReason,
  type ErasureRequest,
  type ErasureStatus,
  type ErasureView,
  erasureReasons,
  erasureRequests,
  type HoldBoard,
  type HoldView,
  holdBoards,
  type LegalHold,
  legalHolds,
  owedOutcomes,
  type RemovedSubject,
  removedSubjects,
} from './records.ts'
