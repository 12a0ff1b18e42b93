import { ok, type Result, refuse } from '../ledger/refusal.ts'

/** A shared secret as it is stored: sealed, with the version that its sealing context names. */
export interface SealedSecret {
  readonly version: number
  readonly sealed: Uint8Array
  /** Ms: when a previous secret ends; null for the current one. */
  readonly validUntil: number | null
}

/** The secrets of an endpoint: the current one, and the one before it while both sign. */
export interface SealedSecrets {
  readonly secret: SealedSecret | null
  readonly previousSecret: SealedSecret | null
}

/** The previous secret goes on signing for so long after a rotation (interface, Limits). */
export const previousSecretMs: number = 24 * 60 * 60 * 1_000

/** The previous secret while it still signs. `now`: ms. */
export function previousAt(
  { previousSecret }: Pick<SealedSecrets, 'previousSecret'>,
  now: number,
): SealedSecret | null {
  return previousSecret && now < (previousSecret.validUntil ?? 0) ? previousSecret : null
}

/** The owner without a previous secret that has ended; the same object where there is none. */
export function withoutEnded<S extends Pick<SealedSecrets, 'previousSecret'>>(
  owner: S,
  now: number,
): S {
  if (owner.previousSecret === null || previousAt(owner, now)) return owner
  return { ...owner, previousSecret: null }
}

/**
 * The secrets after a rotation: the current one signs beside the next for `previousSecretMs`. Refuses with
 * `already_rotating` while an earlier one still signs, unless forced. `now`: ms.
 */
export function rotated(
  was: { readonly secret: SealedSecret; readonly previousSecret: SealedSecret | null },
  next: SealedSecret,
  { force, now }: { readonly force: boolean; readonly now: number },
): Result<
  { readonly secret: SealedSecret; readonly previousSecret: SealedSecret },
  'already_rotating'
> {
  const previous = previousAt(was, now)
  if (previous && !force)
    return refuse(
      'already_rotating',
      'the secret before this one still signs; rotate again when it has ended, or force it out',
      { retryAfter: Math.ceil(((previous.validUntil ?? now) - now) / 1_000) },
    )
  return ok({ secret: next, previousSecret: { ...was.secret, validUntil: now + previousSecretMs } })
}
