import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import { rotated, type SealedSecret } from '../../kernel/sealing/shared-secret.ts'
import type { Webhook } from '../records.ts'
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
  const { secret: current, previousSecret } = webhook
  if (current === null) return ok({ webhook: { ...webhook, secret, keyVersion } })
  const secrets = rotated({ secret: current, previousSecret }, secret, { force, now })
  if (!secrets.ok) return secrets
  const notice = {
    type: 'subscription.signing_key_rotating',
    previousSecretValidUntil: secrets.value.previousSecret.validUntil ?? now,
  } as const
  return ok({ webhook: { ...webhook, ...secrets.value, keyVersion }, notices: [notice] })
}
