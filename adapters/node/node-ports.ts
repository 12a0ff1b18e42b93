import type { ServicePorts } from '@countersign/core'
import type { BlobStore, Observer, Store } from '@countersign/core/ports'
import type { AttestationRoots } from './attestation.ts'
import { authenticators } from './authenticators.ts'
import { nativeCipher } from './cipher.ts'
import { nodeClock } from './clock.ts'
import { nativePrimitives } from './crypto.ts'
import { egressGuard } from './egress/guard.ts'
import { createTransport } from './egress/transport.ts'
import { type TransportThreadOptions, transportThread } from './egress/transport-thread.ts'
import { identityProviders } from './identity-providers.ts'
import { passwords } from './passwords.ts'
import { nodePause } from './pause.ts'
import { nodeRandom } from './random.ts'
import { sealer } from './sealer.ts'
import { sessionTokens } from './session-tokens.ts'
import { signingThread } from './signing-thread.ts'
import { timeStampAuthority } from './time-stamp-authority.ts'

/** Options of `nodePorts`. */
export interface NodePortsOptions {
  /** Over `collections` and `logs` of the core; `ports.close` closes it. */
  readonly store: Store
  /** Sealed payloads and archives; `fileBlobs` keeps them as files. */
  readonly blobs: BlobStore
  /** 32 bytes; seals every secret at rest. Losing it loses them. */
  readonly masterKey: Uint8Array
  /** Master keys that it replaced, as long as something is sealed under them. */
  readonly previousMasterKeys?: readonly Uint8Array[]
  /** At least 32 bytes; signs session tokens. */
  readonly sessionSecret: Uint8Array
  /** The portal's base URL, the issuer of session tokens. */
  readonly portalUrl: string
  /** Addresses that deliveries may reach beyond public https; none unless given. */
  readonly egress?: Omit<TransportThreadOptions, 'onEnded' | 'observer'>
  readonly observer?: Observer
  /** Of an authority that time-stamps the anchor ledger (RFC 3161), reached as `egress` allows; none unless given. */
  readonly timeStampUrl?: string
  /** Root certificates by which models of authenticators are attested; none unless given. */
  readonly attestationRoots?: AttestationRoots
  /** Signs and sends on threads of their own; false unless given. */
  readonly threads?: boolean
}

/** Every port of the service on Node, and the end of all that they hold. */
export interface NodePorts extends ServicePorts {
  /** Closes connections, threads and the store. `service.close()` calls it once the service has drained. */
  close(): Promise<void>
}

/**
 * The ports that `createService` needs, around a store. Throws a TypeError that names the option when one is missing
 * or of another type.
 */
export function nodePorts(options: NodePortsOptions): NodePorts {
  check(options)
  const {
    store,
    blobs,
    masterKey,
    sessionSecret,
    portalUrl,
    egress = {},
    observer,
    timeStampUrl,
    attestationRoots,
    threads,
  } = options
  const random = nodeRandom()
  const watched = observer ? { observer } : {}
  const transport = threads ? transportThread({ ...egress, ...watched }) : createTransport(egress)
  const signing = threads ? signingThread(watched) : null
  return {
    store,
    clock: nodeClock(),
    random,
    primitives: nativePrimitives,
    transport,
    egress: egressGuard(egress),
    cipher: nativeCipher(),
    blobs,
    sealer: sealer({ masterKey, previousKeys: options.previousMasterKeys ?? [] }),
    passwords: passwords(),
    authenticators: authenticators({ ...(attestationRoots && { attestationRoots }) }),
    identityProviders: identityProviders(egress),
    tokens: sessionTokens({ secret: sessionSecret, issuer: portalUrl }),
    pause: nodePause,
    ...(timeStampUrl !== undefined && {
      timeStamps: timeStampAuthority({ url: timeStampUrl, transport, random }),
    }),
    ...(signing && { signing }),
    ...(observer && { observer }),
    close: async () => {
      transport.close()
      await signing?.close()
      await store.close()
    },
  }
}

function check(options: NodePortsOptions): void {
  const { store, blobs, masterKey, sessionSecret, portalUrl } = options
  if (typeof (store as Partial<Store> | undefined)?.commit !== 'function')
    throw wrong('store', 'a Store, such as openSqliteStore returns', store)
  if (typeof (blobs as Partial<BlobStore> | undefined)?.put !== 'function')
    throw wrong('blobs', 'a BlobStore, such as fileBlobs returns', blobs)
  if (!(masterKey instanceof Uint8Array)) throw wrong('masterKey', '32 bytes', masterKey)
  if (!(sessionSecret instanceof Uint8Array))
    throw wrong('sessionSecret', 'at least 32 bytes', sessionSecret)
  if (typeof portalUrl !== 'string' || !/^https?:\/\/[^/]+$/.test(portalUrl))
    throw wrong('portalUrl', 'a URL such as https://portal.example.com', portalUrl)
}

/** Tells the type and not the value, which may be a secret. */
function wrong(option: string, expected: string, got: unknown): TypeError {
  return new TypeError(`nodePorts: expected ${option} to be ${expected}, got ${typeName(got)}`)
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return typeof value === 'object' ? value.constructor.name : typeof value
}
