import type { Authenticators } from '../base/ports/authenticators.ts'
import type { Cipher } from '../base/ports/cipher.ts'
import type { Passwords, Sealer, SessionTokens } from '../base/ports/secrets.ts'
import type { EgressGuard } from '../base/ports/transport.ts'
import { portablePrimitives } from '../proof/signing/portable.ts'
import type { Primitives } from '../proof/signing/primitives.ts'
import { createMemoryBlobs, type MemoryBlobs } from './memory-blobs.ts'
import { plainAuthenticators } from './plain-authenticators.ts'
import { plainCipher } from './plain-cipher.ts'
import { type PlainIdentityProviders, plainIdentityProviders } from './plain-identity-providers.ts'
import { plainPasswords, plainSealer, plainSessionTokens } from './plain-secrets.ts'
import {
  answered,
  type ScriptedTransport,
  scriptedEgress,
  scriptedTransport,
} from './scripted-transport.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

/** Doubles of the ports that a service needs beside its store and its clock. */
export interface PlainPorts {
  readonly random: SeededRandom
  readonly primitives: Primitives
  readonly transport: ScriptedTransport
  readonly egress: EgressGuard
  readonly sealer: Sealer
  readonly cipher: Cipher
  readonly blobs: MemoryBlobs
  readonly passwords: Passwords
  readonly tokens: SessionTokens
  readonly authenticators: Authenticators
  readonly identityProviders: PlainIdentityProviders
}

/** Makes new ones: every URL is allowed and answers 200, and the same seed gives the same ids. For tests alone. */
export function plainPorts(seed = 1): PlainPorts {
  return {
    random: seededRandom(seed),
    primitives: portablePrimitives,
    transport: scriptedTransport(() => answered(200)),
    egress: scriptedEgress(),
    sealer: plainSealer(),
    cipher: plainCipher(),
    blobs: createMemoryBlobs(),
    passwords: plainPasswords(),
    tokens: plainSessionTokens(),
    authenticators: plainAuthenticators(),
    identityProviders: plainIdentityProviders(),
  }
}
