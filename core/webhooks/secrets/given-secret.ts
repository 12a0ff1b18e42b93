import { wrong } from '../../kernel/ledger/input-errors.ts'
import { type FieldError, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { RowsOf } from '../../kernel/shape.ts'
import type { signingMembers, Webhook } from '../records.ts'
import { sharedSecretFault } from './secrets.ts'

type Method = Webhook['method']

/** The members of a request that choose how a webhook signs. */
export interface SigningMembers extends RowsOf<typeof signingMembers> {}

/** A secret that a request sends, and the member that holds it; null removes the secret. */
export interface GivenSecret {
  readonly text: string | null
  readonly pointer: '/secret' | '/signing/secret'
}

/** How a request wants its webhook to sign; undefined members keep their value. */
export interface SigningInput {
  readonly method: Method | undefined
  readonly secret: GivenSecret | undefined
}

/** `signing.secret` alone selects v1; `secret` at the top is the legacy family's and leaves the method. */
export function signingOf({ secret, signing = {} }: SigningMembers): SigningInput {
  const inside = signing.secret
  const selected = typeof inside === 'string' ? ('shared_secret' as const) : undefined
  const method = signing.method ?? selected
  if (inside !== undefined) return { method, secret: { text: inside, pointer: '/signing/secret' } }
  return { method, secret: secret === undefined ? undefined : { text: secret, pointer: '/secret' } }
}

/** Faults that the members have by themselves, whatever is stored; each points at the member that was sent. */
export function signingFaults(members: SigningMembers): readonly FieldError[] {
  const { secret: top, signing } = members
  const inside = signing?.secret
  if (top !== undefined && inside !== undefined && top !== inside)
    return [wrong('/secret', 'expected the secret once, or the same as /signing/secret')]
  if (signing?.method === 'ed25519' && typeof inside === 'string')
    return [
      wrong(
        '/signing/secret',
        'expected none beside the method ed25519: a secret of the legacy family belongs in /secret',
      ),
    ]
  const { method, secret } = signingOf(members)
  if (!secret || method !== 'shared_secret') return []
  const fault = secret.text === null ? secretExpected : sharedSecretFault(secret.text)
  return fault === null ? [] : [wrong(secret.pointer, fault)]
}

/** Error detail for a webhook with the method `shared_secret` and no secret. */
export const secretExpected = 'a webhook that signs with a shared secret needs one, got null'

/** A conflict of a member with how the webhook signs now. */
export function refuseSigning(
  pointer: string,
  detail: string,
): Result<never, 'invalid_transition'> {
  const code = 'invalid_transition'
  return refuse(code, `${pointer}: ${detail}`, {
    errors: [{ code, detail, pointer, parameter: null }],
  })
}
