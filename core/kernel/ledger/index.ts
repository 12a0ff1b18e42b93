export { isExactNumber } from '../../base/text/exact-number.ts'
export { deepest, faultOfName, jsonFaults, longestMemberName } from '../../base/text/json-rules.ts'
export { hasLoneSurrogate } from '../../base/text/text-rules.ts'
export { type AuditEntry, audit, auditLog } from './audit.ts'
export { refusalCures } from './cures.ts'
export { type IdPrefix, newId } from './ids.ts'
export { isoTime, isoTimeOrNull } from './iso-time.ts'
export {
  answer,
  commit,
  createLedger,
  type Ledger,
  type Plan,
  refusal,
  type UnitOfWork,
} from './ledger.ts'
export {
  activeKeysPerApplication,
  alertWindowSeconds,
  applicationsPerTenant,
  caseBytes,
  caseBytesToClose,
  cursorLength,
  customRetention,
  defaultLimits,
  deletionGraceMs,
  evidenceLimits,
  followUpsPerCase,
  highestRatePerMinute,
  highestScore,
  ingestLimits,
  type Limits,
  limitMeanings,
  longest,
  most,
  revokedKeysPerApplication,
  shortDeletionGraceMs,
  usualPageSize,
  usualRatePerMinute,
} from './limits.ts'
export {
  type CursorQuery,
  checkListQuery,
  gatherPage,
  type Listing,
  type ListQuery,
  type Pieces,
} from './listing.ts'
export { checkPage, deepestRow, type Page, type PageQuery, pageOf } from './page.ts'
export type { PartOf, Rows } from './read-part.ts'
export { get, list, many, one, put } from './reads.ts'
export { checkReceipt, type Receipt, type ReceiptCheck, receiptOf, receipts } from './receipts.ts'
export {
  type FieldError,
  ok,
  type Refusal,
  type RefusalCode,
  type Result,
  refusalCodes,
  refusalMeanings,
  refuse,
} from './refusal.ts'
