import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { rotated, type SealedSecret, withoutEnded } from '../kernel/sealing/shared-secret.ts'
import type { RowsOf } from '../kernel/shape.ts'
import type { Application, OutcomeCallback } from './records.ts'
import type { callbackDefinition } from './view.ts'

/** What its owner saves of a callback. */
export interface SaveCallback extends RowsOf<typeof callbackDefinition> {}

export interface SavedCallback {
  readonly callback: OutcomeCallback
  readonly madeSecret: boolean
}

/** Seals a new secret as this version. */
export type SealSecret = (version: number) => SealedSecret

/**
 * The callback after its owner saved it. A shared secret is made when the method first becomes `shared_secret` and
 * dropped, with a previous one, when it becomes `ed25519`. No version is taken twice for an application, so that a secret that was sealed
 * before never stands in for a later one.
 */
export function saveCallback(
  { outcomeCallback: was, callbackSecretVersion = 0 }: Callbacks,
  input: SaveCallback,
  made: { readonly now: number; readonly seal: SealSecret },
): SavedCallback {
  const method = input.signing?.method ?? was?.method ?? 'ed25519'
  const kept = method === 'shared_secret' && was ? withoutEnded(was, made.now) : null
  const madeSecret = method === 'shared_secret' && !kept?.secret
  const secret = madeSecret ? made.seal(callbackSecretVersion + 1) : (kept?.secret ?? null)
  return {
    callback: {
      url: input.url,
      enabled: input.enabled,
      method,
      secret,
      previousSecret: kept?.previousSecret ?? null,
      gone: false,
      updatedAt: made.now,
    },
    madeSecret,
  }
}

type Callbacks = Pick<Application, 'outcomeCallback' | 'callbackSecretVersion'>

/** What an application's record keeps of a callback, with the version of its secret. */
export function withCallback(callback: OutcomeCallback): Callbacks {
  return {
    outcomeCallback: callback,
    ...(callback.secret && { callbackSecretVersion: callback.secret.version }),
  }
}

/** The callback of an application. */
export function callbackOf({
  outcomeCallback,
}: Pick<Application, 'outcomeCallback'>): Result<OutcomeCallback, 'callback_not_configured'> {
  return outcomeCallback
    ? ok(outcomeCallback)
    : refuse('callback_not_configured', 'the application has no outcome callback')
}

/** The callback with a new secret, beside which the one before it signs for 24 h. */
export function rotateSecret(
  application: Callbacks,
  {
    force,
    now,
    seal,
  }: { readonly force: boolean; readonly now: number; readonly seal: SealSecret },
): Result<OutcomeCallback, 'callback_not_configured' | 'not_shared_secret' | 'already_rotating'> {
  const callback = callbackOf(application)
  if (!callback.ok) return callback
  const { secret, previousSecret } = callback.value
  if (secret === null)
    return refuse('not_shared_secret', 'this callback has no secret that could be rotated')
  const next = seal((application.callbackSecretVersion ?? 0) + 1)
  const secrets = rotated({ secret, previousSecret }, next, { force, now })
  return secrets.ok ? ok({ ...callback.value, ...secrets.value, updatedAt: now }) : secrets
}
