export {
  type ErasureRequest,
  erasureRequests,
  type LegalHold,
  legalHolds,
  owedOutcomes,
} from './records.ts'
