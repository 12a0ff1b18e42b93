export { StoreError, type StoreErrorCode } from '../errors/store-error.ts'
export type {
  AnchorEntry,
  Anchoring,
  AnchorLedger,
  AnchorStatus,
  AnchorSubmission,
} from './anchor.ts'
export {
  type Authenticators,
  type CredentialAlgorithm,
  type CredentialKey,
  credentialAlgorithms,
  type NewCredential,
  type RegisteredCredential,
} from './authenticators.ts'
export type { BlobEntry, BlobObject, BlobReader, BlobStore, BlobWriter } from './blob-store.ts'
export type { Cipher } from './cipher.ts'
export type { Clock } from './clock.ts'
export type {
  IdentityProviders,
  ProviderClient,
  ProviderFault,
  ProviderIdentity,
  SignInSecrets,
} from './identity-providers.ts'
export type {
  CaseHead,
  CasePosition,
  Inbox,
  InboxEntry,
  InboxTopic,
  InboxTurn,
  Settled,
  Stored,
  TurnKey,
} from './inbox.ts'
export type { Mail, Mailer } from './mailer.ts'
export { type FactType, type ObservedEvents, observedEvents } from './observed-events.ts'
export { type Observer, silentObserver, type Told } from './observer.ts'
export type { Random } from './random.ts'
export type { RateWindow } from './rate-window.ts'
export type { GovernanceFacts, QualityFacts, Score, Scorer } from './scorer.ts'
export type {
  CallerSignal,
  DeviceClaims,
  PasswordQueue,
  Passwords,
  Sealer,
  SessionClaims,
  SessionTokens,
} from './secrets.ts'
export type {
  ChangeSet,
  Check,
  Collection,
  CommitOutcome,
  Conflict,
  Found,
  Key,
  Lane,
  Log,
  LogEntry,
  Put,
  QueueColumns,
  RangeRemoval,
  Read,
  Store,
  UniqueRule,
  Value,
  Versioned,
  Where,
} from './store.ts'
export type { TimeStampAuthority } from './time-stamps.ts'
export type {
  EgressGuard,
  EgressVerdict,
  Exchange,
  ExchangeError,
  ExchangeResult,
  OperatorReason,
  Transport,
} from './transport.ts'
