// What the simulator, the benchmarks and the reference server of this repository look at inside the rooms. Not part of
// the public interface: names change without notice and without a new major version.

export { type ApplicationHealth, applicationHealths } from './applications/health.ts'
export { type Application, applications } from './applications/records.ts'
export * from './base/canonical/index.ts'
export * from './base/json/index.ts'
export * from './base/merkle/index.ts'
export { type ActivityMinute, activityMinutes } from './content/activity/records.ts'
export { bundlePath, bundles, type StoredPayload } from './content/payload-records.ts'
export {
  type PolicyResult,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from './content/records.ts'
export {
  type Anchor,
  anchors,
  type Batch,
  batches,
  type CaseSeal,
  caseSeals,
  type Seal,
  seals,
} from './content/seal-records.ts'
export { sessionAliases } from './content/trace-records.ts'
export { erasedSubjects, type SubjectKey, subjectKeys } from './content/vault/records.ts'
export { createVault } from './content/vault/vault.ts'
export { sessionColumns } from './evidence/auditor/session-columns.ts'
export { csvOf } from './evidence/csv.ts'
export { createEvidenceSigners } from './evidence/keys/evidence-keys.ts'
export { type EvidenceKeyRing, evidenceKeyRings } from './evidence/keys/records.ts'
export * from './kernel/mail/index.ts'
export { openedTexts, withOpenTexts } from './kernel/sealing/sealed-texts.ts'
export * from './kernel/work/index.ts'
export * from './keys/index.ts'
export { type KeyRequest, keyRequests } from './keys/requests/records.ts'
export { type Member, members, type Roster, rosters } from './organizations/access/records.ts'
export { type CustomerKey, customerKeys } from './organizations/api-keys/key-records.ts'
export { type Invitation, invitations } from './organizations/members/records.ts'
export * from './outbox/index.ts'
export { type AlertRule, alertRules } from './policies/alerts/records.ts'
export { sessionFlags } from './policies/flags/records.ts'
export * from './policies/index.ts'
export {
  type ErasureRequest,
  erasureRequests,
  type LegalHold,
  legalHolds,
  owedOutcomes,
} from './removal/erasure/records.ts'
export { purges } from './removal/lifecycle/records.ts'
export * from './review/index.ts'
export * from './sessions/otlp/index.ts'
export * from './webhooks/index.ts'
