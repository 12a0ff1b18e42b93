import type { Sealer } from '../../base/ports/secrets.ts'
import { previousAt, type SealedSecret } from '../../kernel/sealing/shared-secret.ts'
import type { IssuerKeys, Signers } from '../../keys/issuer-keys.ts'
import type { Endpoint, Headers, SignAttempt } from '../../outbox/kind.ts'
import {
  type LegacyKey,
  legacyKey,
  loadSigningKey,
  type SharedSecretKey,
} from '../../proof/signing/keys.ts'
import { legacyHeaders } from '../../proof/signing/legacy-signature.ts'
import type { Primitives } from '../../proof/signing/primitives.ts'
import { signedHeadersAside } from '../../proof/signing/sign.ts'
import { admitsFor } from '../machine/admits.ts'
import type { Webhook } from '../records.ts'
import { openSecret, sharedSecretFault } from '../secrets/secrets.ts'

export interface WebhookEndpoint extends Endpoint {
  /** As the store had it. */
  readonly webhook: Webhook
}

export interface EndpointDeps {
  readonly sealer: Sealer
  readonly keys: IssuerKeys
  readonly primitives: Primitives
}

type Signing = Parameters<SignAttempt>[0]

const json: Headers = { 'content-type': 'application/json' }

/** Where a webhook's deliveries go, and how they are signed; its secrets are opened once, when first needed. */
export function webhookEndpoint(webhook: Webhook, ports: EndpointDeps): WebhookEndpoint {
  const { sealer, keys, primitives } = ports
  const text = (secret: SealedSecret) => openSecret(sealer, webhook, secret)
  const older = keptBySecret((secret) => legacyKey(text(secret), primitives))
  const shared = keptBySecret((secret) => sharedKey(text(secret), primitives))

  function signLegacy(input: Signing): Headers {
    const { secret } = webhook
    if (!secret) return json
    const previous = previousAt(webhook, input.now)
    // The legacy header holds one value, of the previous secret while it is valid; the new one has a header of its own.
    const [key, nextKey] = previous ? [older(previous), older(secret)] : [older(secret), null]
    return { ...json, ...legacyHeaders({ body: input.body, key, nextKey }) }
  }

  function signShared(input: Signing): Headers | Promise<Headers> {
    const secrets = [webhook.secret, previousAt(webhook, input.now)]
    const keys = secrets.flatMap((secret) => (secret && shared(secret)) ?? [])
    return standardHeaders(input, { version: webhook.keyVersion, keys })
  }

  function signStandard(input: Signing): Headers | Promise<Headers> {
    if (webhook.method === 'shared_secret') return signShared(input)
    const signers = keys.signers(webhook.tenantId, input.now)
    return signers instanceof Promise
      ? signers.then((loaded) => standardHeaders(input, loaded))
      : standardHeaders(input, signers)
  }

  return {
    webhook,
    endpointId: webhook.webhookId,
    tenantId: webhook.tenantId,
    url: webhook.url,
    sign: (input) => (input.family === 'legacy' ? signLegacy(input) : signStandard(input)),
    admits: admitsFor(webhook),
  }
}

function standardHeaders(
  { messageId, body, now }: Signing,
  signers: Omit<Signers, 'keys'> & {
    readonly keys: readonly (SharedSecretKey | Signers['keys'][number])[]
  },
): Headers | Promise<Headers> {
  const { version, keys } = signers
  const timestamp = Math.floor(now / 1_000)
  const signed = signedHeadersAside({ id: messageId, timestamp, body, keys })
  const whole = (made: Headers) => ({ ...json, ...made, 'webhook-key-version': String(version) })
  return signed instanceof Promise ? signed.then(whole) : whole(signed)
}

/** Null for a secret that is no `whsec_` and signs the legacy family alone. */
function sharedKey(text: string, primitives: Primitives): SharedSecretKey | null {
  if (sharedSecretFault(text) !== null) return null
  const key = loadSigningKey(text, primitives)
  return key.scheme === 'v1' ? key : null
}

function keptBySecret<K extends SharedSecretKey | LegacyKey | null>(
  make: (secret: SealedSecret) => K,
): (secret: SealedSecret) => K {
  const made = new Map<number, K>()
  return (secret) => {
    const known = made.get(secret.version)
    if (known !== undefined) return known
    const key = make(secret)
    made.set(secret.version, key)
    return key
  }
}
