import type { Random } from '../../base/ports/random.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import type { SealedSecret } from '../../kernel/sealing/shared-secret.ts'
import type { Webhook } from '../records.ts'
import { refuseSigning, type SigningInput, secretExpected } from './given-secret.ts'
import { makeSecret, openSecret, sealSecret, sharedSecretFault } from './secrets.ts'

interface Makers {
  readonly sealer: Sealer
  readonly random: Random
}

/** A new secret; `text` is what the answer shows. */
interface NewSecret {
  readonly secret: SealedSecret
  readonly text: string
}

function nextSecret(
  webhook: Webhook,
  given: string | undefined,
  { sealer, random }: Makers,
): NewSecret {
  const text = given ?? makeSecret(random)
  return { secret: sealSecret(sealer, webhook, webhook.keyVersion + 1, text), text }
}

/** What an update does with the secret: absent keeps, null removes, another one rotates. */
export function updatedSecret(
  webhook: Webhook,
  input: SigningInput,
  makers: Makers,
): Result<
  Partial<NewSecret> | { readonly secret: null; readonly text?: undefined },
  'invalid_transition'
> {
  const method = input.method ?? webhook.method
  const { text, pointer } = input.secret ?? { text: undefined, pointer: '/signing/method' }
  if (text === null)
    return method === 'shared_secret'
      ? refuseSigning(pointer, secretExpected)
      : ok({ secret: null })
  const current = webhook.secret && openSecret(makers.sealer, webhook, webhook.secret)
  const after = text ?? current
  if (after === null)
    return ok(method === 'shared_secret' ? nextSecret(webhook, undefined, makers) : {})
  const fault = method === 'shared_secret' ? sharedSecretFault(after) : null
  if (fault !== null) return refuseSigning(pointer, fault)
  return ok(after === current ? {} : nextSecret(webhook, after, makers))
}

/** Refuses a rotation to the current secret, which would only drop the previous one. */
export function rotatedSecret(
  webhook: Webhook,
  given: string | undefined,
  makers: Makers,
): Result<NewSecret, 'invalid_transition'> {
  if (given !== undefined && webhook.secret !== null) {
    const same = openSecret(makers.sealer, webhook, webhook.secret) === given
    const fault = webhook.method === 'shared_secret' ? sharedSecretFault(given) : null
    if (same) return refuseSigning('/secret', 'expected another secret than the current one')
    if (fault !== null) return refuseSigning('/secret', fault)
  }
  return ok(nextSecret(webhook, given, makers))
}
