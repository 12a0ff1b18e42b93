import { refuseErrors, wrong } from '../../ledger/input-errors.ts'
import { ok, type Result } from '../../ledger/refusal.ts'
import type { Random } from '../../ports/random.ts'
import type { Sealer } from '../../ports/secrets.ts'
import { checkSecretFor } from '../check-input.ts'
import { secretNeeded } from '../machine/machine.ts'
import type { SealedSecret, Webhook } from '../records.ts'
import { makeSecret, openSecret, sealSecret } from './secrets.ts'

interface Makers {
  readonly sealer: Sealer
  readonly random: Random
}

/** The webhook's next secret, given or made; `text` is what the answer shows. */
function nextSecret(
  webhook: Webhook,
  given: string | undefined,
  { sealer, random }: Makers,
  method: Webhook['method'] = webhook.method,
): Result<{ readonly secret: SealedSecret; readonly text: string }> {
  const text = given ?? makeSecret(random)
  const checked = checkSecretFor(method, text)
  if (!checked.ok) return checked
  return ok({ secret: sealSecret(sealer, webhook, webhook.keyVersion + 1, text), text })
}

/** What an update does with the secret: absent keeps, null removes, another one rotates. */
export function updatedSecret(
  webhook: Webhook,
  given: string | null | undefined,
  method: Webhook['method'],
  makers: Makers,
): Result<{ readonly secret?: SealedSecret | null; readonly text?: string }> {
  if (given === null) return method === 'shared_secret' ? secretNeeded() : ok({ secret: null })
  const current = webhook.secret && openSecret(makers.sealer, webhook, webhook.secret)
  if (given === undefined) {
    if (method === 'ed25519') return ok({})
    if (current === null) return nextSecret(webhook, undefined, makers, method)
  }
  if (current !== null && (given ?? current) === current) {
    const checked = checkSecretFor(method, current)
    return checked.ok ? ok({}) : checked
  }
  return nextSecret(webhook, given, makers, method)
}

/** Refuses a rotation to the current secret, which would only drop the previous one. */
export function rotatedSecret(
  webhook: Webhook,
  given: string | undefined,
  makers: Makers,
): ReturnType<typeof nextSecret> {
  const same =
    given !== undefined &&
    webhook.secret !== null &&
    openSecret(makers.sealer, webhook, webhook.secret) === given
  if (same) return refuseErrors([wrong('/secret', 'expected another secret than the current one')])
  return nextSecret(webhook, given, makers)
}
