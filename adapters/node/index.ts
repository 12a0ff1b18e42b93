export type { AttestationRoots } from './attestation.ts'
export { authenticators } from './authenticators.ts'
export { nativeCipher } from './cipher.ts'
export { nodeClock } from './clock.ts'
export { type CopiedBlobs, type CopyBlobsOptions, copyBlobs } from './copy-blobs.ts'
export { nativePrimitives } from './crypto.ts'
export { type EgressOptions, egressGuard } from './egress/guard.ts'
export {
  type GuardedFetchOptions,
  type GuardedRequest,
  guardedFetch,
  UnreachableError,
} from './egress/guarded-fetch.ts'
export { dnsResolver, type ResolveName, systemResolver } from './egress/resolve-name.ts'
export { createTransport, type NodeTransport, type TransportOptions } from './egress/transport.ts'
export { type TransportThreadOptions, transportThread } from './egress/transport-thread.ts'
export { type FileBlobsOptions, fileBlobs } from './file-blobs.ts'
export { type IdentityProvidersOptions, identityProviders } from './identity-providers.ts'
export { type NodePorts, type NodePortsOptions, nodePorts } from './node-ports.ts'
export { type PasswordOptions, passwords } from './passwords.ts'
export { nodePause } from './pause.ts'
export { nodeRandom } from './random.ts'
export { type RateWindowOptions, rateWindow } from './rate-window.ts'
export { type SealerOptions, sealer } from './sealer.ts'
export { type SessionTokenOptions, sessionTokens } from './session-tokens.ts'
export {
  type NodeSigningThread,
  type SigningThreadOptions,
  signingThread,
} from './signing-thread.ts'
export { type TimeStampAuthorityOptions, timeStampAuthority } from './time-stamp-authority.ts'
