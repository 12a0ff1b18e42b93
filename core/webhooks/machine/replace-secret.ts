import { ok, type Result, refuse } from '../../ledger/refusal.ts'
import type { SealedSecret, Webhook } from '../records.ts'
import { previousAt, previousSecretMs } from '../secrets/secrets.ts'
import type { Change } from './decided.ts'

/** Replaces or removes the secret; the previous one signs beside it for 24 h. */
export function withSecret(
  webhook: Webhook,
  secret: SealedSecret | null,
  force: boolean,
  now: number,
): Result<Change> {
  if (secret === null) return ok({ webhook: { ...webhook, secret: null, previousSecret: null } })
  const keyVersion = secret.version
  if (webhook.secret === null) return ok({ webhook: { ...webhook, secret, keyVersion } })
  const previous = previousAt(webhook, now)
  if (previous && !force)
    return refuse(
      'already_rotating',
      'the secret before this one still signs; rotate again when it has ended, or force it out',
      { retryAfter: Math.ceil(((previous.validUntil ?? now) - now) / 1_000) },
    )
  const validUntil = now + previousSecretMs
  const previousSecret = { ...webhook.secret, validUntil }
  const notice = {
    type: 'subscription.signing_key_rotating',
    previousSecretValidUntil: validUntil,
  } as const
  return ok({ webhook: { ...webhook, secret, previousSecret, keyVersion }, notices: [notice] })
}

/** Drops an expired previous secret with the next write, ahead of the upkeep item. */
export function withoutEnded(webhook: Webhook, now: number): Webhook {
  if (webhook.previousSecret === null || previousAt(webhook, now)) return webhook
  return { ...webhook, previousSecret: null }
}
