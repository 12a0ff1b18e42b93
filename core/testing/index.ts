export { createDelayedLedger, type DelayedLedger } from './delayed-ledger.ts'
export { createManualClock, type ManualClock } from './manual-clock.ts'
export {
  type BlobFaults,
  type BlobOperation,
  createMemoryBlobs,
  type MemoryBlobs,
} from './memory-blobs.ts'
export {
  createMemoryStore,
  type MemoryStore,
  type StoreFaults,
  type StoreOperation,
  type StorePoint,
} from './memory-store.ts'
export { plainArchives } from './plain-archives.ts'
export { plainAuthenticators } from './plain-authenticators.ts'
export { plainAuthority, unsignedTimeStamp } from './plain-authority.ts'
export { plainCipher } from './plain-cipher.ts'
export { type PlainIdentityProviders, plainIdentityProviders } from './plain-identity-providers.ts'
export { type PlainPorts, plainPorts } from './plain-ports.ts'
export { plainRenderer } from './plain-renderer.ts'
export {
  plainPasswords,
  plainSealer,
  plainSealerHeader,
  plainSessionTokens,
} from './plain-secrets.ts'
export { type OpenEvidence, openEvidence, resealedEvidence } from './resealed-evidence.ts'
export { sampleEvidence, sampleEvidenceKey } from './sample-evidence.ts'
export { sampleAnchor } from './sample-seals.ts'
export type { SampleCase, SampleEvidence } from './sample-session.ts'
export {
  answered,
  failed,
  type ScriptedTransport,
  scriptedEgress,
  scriptedTransport,
  type TransportScript,
} from './scripted-transport.ts'
export { type SeededRandom, seededRandom } from './seeded-random.ts'
export { type SessionStoring, type SessionToStore, storeSession } from './store-session.ts'
export {
  byNewKey,
  newApplication,
  newMember,
  newOrganization,
  provisionKey,
  type TestOrganization,
} from './world.ts'
