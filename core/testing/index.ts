export { createManualClock, type ManualClock } from './manual-clock.ts'
export {
  createMemoryStore,
  type MemoryStore,
  type StoreFaults,
  type StoreOperation,
  type StorePoint,
} from './memory-store.ts'
export {
  plainPasswords,
  plainSealer,
  plainSealerHeader,
  plainSessionTokens,
} from './plain-secrets.ts'
export {
  answered,
  failed,
  type ScriptedTransport,
  scriptedEgress,
  scriptedTransport,
  type TransportScript,
} from './scripted-transport.ts'
export { type SeededRandom, seededRandom } from './seeded-random.ts'
