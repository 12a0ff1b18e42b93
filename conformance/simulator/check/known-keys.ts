import type { Webhook } from '@countersign/core/internal'
import { type IssuerKey, type IssuerKeyRing, issuerKeyRings } from '@countersign/core/internal'
import {
  type LegacyKey,
  legacyKey,
  type Primitives,
  parseKey,
  publicKey,
  type SharedSecretKey,
  sharedSecretKey,
  type VerifyKey,
} from '@countersign/core/signing'
import { sealer } from '../machine.ts'
import { type Committed, of } from '../truth.ts'
import type { World } from '../world.ts'
import { sameBytes } from './context.ts'

/** What may sign at a time, by what was committed. */
export interface KnownKeys {
  committed(committed: Committed): void
  /** Of a tenant's ring, at this time of the sender's clock. */
  ofRing(tenantId: string, wall: number): readonly VerifyKey[]
  /** Of a webhook as its sender knew it, the newest first. */
  ofWebhook(webhook: Webhook, wall: number): readonly SharedSecretKey[]
  /** The same secrets for the legacy family. */
  ofLegacy(webhook: Webhook, wall: number): readonly LegacyKey[]
  ofCallback(tenantId: string, applicationId: string, secret: Sealed): SharedSecretKey
}

export interface Sealed {
  readonly version: number
  readonly sealed: Uint8Array
}

/** A process signs with a ring that it read up to an hour ago by its own clock; a signature may have waited since. */
const ringKnownMs = 3_600_000 + 200_000

const fromUtf8 = new TextDecoder()

export function createKnownKeys(world: World, primitives: Primitives): KnownKeys {
  const rings = new Map<string, { readonly at: number; readonly ring: IssuerKeyRing }[]>()
  const opened = new Map<string, { readonly sealed: Uint8Array; readonly text: string }>()
  const shared = new Map<string, SharedSecretKey>()
  const older = new Map<string, LegacyKey>()
  const parsed = new WeakMap<IssuerKey, VerifyKey>()
  // A clock that is set back makes what was read before it look younger.
  const setBack = world.plan.disturbances.reduce(
    (sum, one) => sum + (one.kind === 'jump' ? Math.max(0, -one.by) : 0),
    0,
  )

  function textOf(context: readonly unknown[], { sealed }: Sealed): string {
    const label = JSON.stringify(context)
    const known = opened.get(label)
    if (known && sameBytes(known.sealed, sealed)) return known.text
    const text = fromUtf8.decode(sealer.open(sealed, label))
    opened.set(label, { sealed, text })
    return text
  }

  function secretsOf(webhook: Webhook, wall: number): readonly string[] {
    const { tenantId, webhookId, secret, previousSecret } = webhook
    const alive = previousSecret && wall < (previousSecret.validUntil ?? 0) ? previousSecret : null
    return [secret, alive].flatMap((one) =>
      one ? textOf(['webhook secret', tenantId, webhookId, one.version], one) : [],
    )
  }

  const sharedKey = madeOnce(shared, (text) => {
    const key = parseKey(text)
    if (key.kind !== 'shared_secret') throw new Error('expected a whsec_ secret')
    return sharedSecretKey(key.secret, primitives)
  })
  const knownLegacyKey = madeOnce(older, (text) => legacyKey(text, primitives))

  function keyOf(key: IssuerKey): VerifyKey {
    const known = parsed.get(key) ?? publicKey(key.publicKey, primitives)
    parsed.set(key, known)
    return known
  }

  /** The rings that a process may still sign by, the newest last. */
  function ringsOf(tenantId: string): readonly IssuerKeyRing[] {
    const all = rings.get(tenantId) ?? []
    const since = world.time.now() - ringKnownMs - setBack
    return all
      .filter((_, at) => (all[at + 1]?.at ?? world.time.now()) >= since)
      .map((one) => one.ring)
  }

  return {
    committed({ transitions }) {
      for (const { key, after } of of(issuerKeyRings, transitions)) {
        if (!after) continue
        const all = rings.get(key) ?? []
        all.push({ at: world.time.now(), ring: after.row })
        rings.set(key, all)
      }
    },
    ofRing: (tenantId, wall) =>
      ringsOf(tenantId)
        .flatMap((ring) => signingAt(ring, wall))
        .map(keyOf),
    // A text that is no whsec_ signs the legacy family alone.
    ofWebhook: (webhook, wall) =>
      secretsOf(webhook, wall)
        .filter((text) => text.startsWith('whsec_'))
        .map(sharedKey),
    ofLegacy: (webhook, wall) => secretsOf(webhook, wall).map(knownLegacyKey),
    ofCallback: (tenantId, applicationId, secret) =>
      sharedKey(textOf(['outcome-callback', tenantId, applicationId, secret.version], secret)),
  }
}

/** Where a clock was ahead, the key of this time may have been wiped; then its successor signs before its time. */
function signingAt({ keys }: IssuerKeyRing, wall: number): readonly IssuerKey[] {
  const able = keys.filter(({ sealed }) => sealed !== null)
  const active = able.filter(
    ({ signsFrom, signsUntil }) => signsFrom <= wall && (signsUntil === null || wall < signsUntil),
  )
  return active.length > 0 ? active : able.slice(0, 1)
}

function madeOnce<K>(made: Map<string, K>, make: (text: string) => K): (text: string) => K {
  return (text) => {
    const known = made.get(text) ?? make(text)
    made.set(text, known)
    return known
  }
}
