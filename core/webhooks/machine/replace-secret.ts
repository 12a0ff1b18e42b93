import { ok, type Result, refuse } from '../../ledger/refusal.ts'
import type { SealedSecret, Webhook } from '../records.ts'
import { previousAt, previousSecretMs } from '../secrets/secrets.ts'
import type { Change } from './decided.ts'

/** The webhook with another secret, or none; the one before goes on signing for 24 h beside it. */
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

/** A secret that has ended leaves with the next write, should the work item not have come first. */
export function withoutEnded(webhook: Webhook, now: number): Webhook {
  if (webhook.previousSecret === null || previousAt(webhook, now)) return webhook
  return { ...webhook, previousSecret: null }
}
