// What the simulator, the benchmarks and the reference server of this repository look at inside the rooms. Not part of
// the public interface: names change without notice and without a new major version.

export { type CustomerKey, customerKeys } from './access/key-records.ts'
export { type Invitation, invitations } from './access/membership/records.ts'
export { type Member, members, type Roster, rosters } from './access/records.ts'
export { type ActivityMinute, activityMinutes } from './activity/records.ts'
export { type ApplicationHealth, applicationHealths } from './applications/health.ts'
export * from './applications/index.ts'
export * from './canonical/index.ts'
export * from './erasure/index.ts'
export { createEvidenceSigners } from './evidence/keys/evidence-keys.ts'
export { type EvidenceKeyRing, evidenceKeyRings } from './evidence/keys/records.ts'
export * from './ingest/otlp/index.ts'
export * from './json/index.ts'
export { type KeyRequest, keyRequests } from './key-requests/records.ts'
export * from './keys/index.ts'
export { purges } from './lifecycle/records.ts'
export * from './mail/index.ts'
export * from './merkle/index.ts'
export * from './outbox/index.ts'
export * from './privacy/index.ts'
export * from './review/index.ts'
export * from './sealing/index.ts'
export { bundlePath, bundles, type StoredPayload } from './sessions/payload-records.ts'
export {
  type PolicyResult,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from './sessions/records.ts'
export {
  type Anchor,
  anchors,
  type Batch,
  batches,
  type Seal,
  seals,
} from './sessions/seal-records.ts'
export { sessionAliases } from './sessions/trace-records.ts'
export { type AlertRule, alertRules } from './signals/alerts/records.ts'
export { sessionFlags } from './signals/flags/records.ts'
export * from './signals/index.ts'
export * from './webhooks/index.ts'
export * from './work/index.ts'
