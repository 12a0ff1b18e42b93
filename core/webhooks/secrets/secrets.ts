import type { Random } from '../../base/ports/random.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import type { SealedMembers } from '../../kernel/sealing/sealed-members.ts'
import type { SealedSecret } from '../../kernel/sealing/shared-secret.ts'
import { SigningKeyError } from '../../proof/signing/key-error.ts'
import { formatSharedSecret, parseKey } from '../../proof/signing/key-text.ts'
import { type Webhook, webhooks } from '../records.ts'

type Owner = Pick<Webhook, 'tenantId' | 'webhookId'>

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

/** A `whsec_` of 32 random bytes. */
export function makeSecret(random: Random): string {
  return formatSharedSecret(random.bytes(32))
}

export function sealSecret(
  sealer: Sealer,
  owner: Owner,
  version: number,
  secret: string,
): SealedSecret {
  const sealed = sealer.seal(utf8.encode(secret), sealedAs(owner, version))
  return { version, sealed, validUntil: null }
}

export function openSecret(sealer: Sealer, owner: Owner, secret: SealedSecret): string {
  return fromUtf8.decode(sealer.open(secret.sealed, sealedAs(owner, secret.version)))
}

/** Why this text can't sign the Standard Webhooks profile; null when it can. */
export function sharedSecretFault(secret: string): string | null {
  try {
    const { kind } = parseKey(secret)
    return kind === 'shared_secret' ? null : 'expected a whsec_ secret, got another kind of key'
  } catch (error) {
    if (error instanceof SigningKeyError) return error.message
    throw error
  }
}

/** The context of a webhook's sealed secret. */
function sealedAs({ tenantId, webhookId }: Owner, version: number): string {
  return JSON.stringify(['webhook secret', tenantId, webhookId, version])
}

export const sealedSecrets: SealedMembers<Webhook> = {
  collection: webhooks,
  map: (webhook, change) => {
    const renewed = (secret: SealedSecret | null) =>
      secret && {
        ...secret,
        sealed: change(secret.sealed, sealedAs(webhook, secret.version)),
      }
    return {
      ...webhook,
      secret: renewed(webhook.secret),
      previousSecret: renewed(webhook.previousSecret),
    }
  },
}
