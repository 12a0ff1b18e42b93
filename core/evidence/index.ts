export {
  anchorHashOf,
  commitmentOf,
  commitmentTag,
  firstPreviousHash,
  payloadDigestOf,
} from '../proof/commitment.ts'
export {
  type DocumentSignature,
  type EvidenceSigner,
  signAnchor,
  signDocument,
} from '../proof/sign.ts'
export { canonicalBytes, signedText, thumbprintOf, thumbprintOfJwk } from '../proof/signed-text.ts'
export { longestTimeStamp, readTimeStamp, type TimeStamp } from '../proof/time-stamp.ts'
export type { ErasureCertificate } from '../removal/erasure/records.ts'
export type {
  EvidencePolicyResult,
  EvidenceScore,
  RecordedStep,
  SessionRecord,
} from '../sessions/seal/session-record.ts'
export { fileNameOf, fileNames, isSafePath } from './file-name.ts'
export type { EvidenceKeySet } from './keys/evidence-keys.ts'
export type {
  AccessReport,
  AccessReportController,
  AccessReportSession,
  CaseIntegrity,
  EarlierSeal,
  EvidenceApplication,
  EvidenceCase,
  EvidenceDocument,
  EvidenceIntegrity,
  EvidenceMerkle,
  Manifest,
  ManifestFile,
  SessionCertificate,
} from './model.ts'
export type {
  AddedFile,
  Archive,
  ArchiveContent,
  Archives,
  DocumentRenderer,
  Printable,
  PrintedCase,
  PrintedEvidence,
  PrintedField,
  PrintedStep,
} from './outputs.ts'
export { type PackHead, type PackMember, writePack } from './pack.ts'
export { printedEvidence } from './print/printed-evidence.ts'
export { checkAuditLog, type LogCheck } from './verify/audit-log.ts'
export { type BatchCheck, checkBatches } from './verify/batches.ts'
export { type CaseEvents, checkCaseEvents } from './verify/case-events.ts'
export { type CaseLinesGiven, checkCaseLines } from './verify/case-lines.ts'
export { checkContents, type PackContents } from './verify/contents.ts'
export {
  type DocumentKind,
  type DocumentPlace,
  kindOfDocument,
  verifyDocument,
} from './verify/documents.ts'
export {
  type Finding,
  type FindingCheck,
  type FindingResult,
  type ReviewerKeys,
  type ShownStamp,
  type StampSink,
  type Verdict,
  verdictOf,
} from './verify/finding.ts'
export { createHeads, type SealedHeads } from './verify/heads.ts'
export { checkKeyEntries, type KeyEntries } from './verify/key-entries.ts'
export { type EvidenceKeys, readEvidenceKeys } from './verify/keys.ts'
export { type KnownEvidence, readKnownEvidence } from './verify/known.ts'
export type { ListCheck } from './verify/lists.ts'
export {
  type FoundFile,
  isPackedAs,
  readManifest,
  unlistedFiles,
  verifyManifest,
} from './verify/manifest.ts'
export { applicationOf, isAtHome } from './verify/owners.ts'
export { subjectDocuments } from './verify/pack-layout.ts'
export { plainMsOf } from './verify/read.ts'
export { readReviewerKeys } from './verify/reviewer-keys.ts'
export { checkSessionLines } from './verify/session-lines.ts'
export { createSharedRows, type SharedRows } from './verify/shared-rows.ts'
export { checkTails, type LogReach, type SealedBatch, type TailsGiven } from './verify/tails.ts'
export { type Witness, witnessOf } from './verify/witness.ts'
