import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Application, OutcomeCallback } from './records.ts'

export interface SaveCallback {
  readonly url: string
  readonly enabled: boolean
  /** Absent keeps the method; at first it is ed25519. */
  readonly signing?: { readonly method: 'ed25519' | 'shared_secret' }
}

export interface SavedCallback {
  readonly callback: OutcomeCallback
  readonly madeSecret: boolean
}

/** Seals a new secret as this version. */
export type SealSecret = (version: number) => NonNullable<OutcomeCallback['secret']>

/**
 * The callback after its owner saved it. A shared secret is made when the method first becomes `shared_secret` and
 * dropped when it becomes `ed25519`. No version is taken twice for an application, so that a secret that was sealed
 * before never stands in for a later one.
 */
export function saveCallback(
  { outcomeCallback: was, callbackSecretVersion = 0 }: Callbacks,
  input: SaveCallback,
  made: { readonly now: number; readonly seal: SealSecret },
): SavedCallback {
  const method = input.signing?.method ?? was?.method ?? 'ed25519'
  const kept = method === 'shared_secret' ? (was?.secret ?? null) : null
  const madeSecret = method === 'shared_secret' && kept === null
  const secret = madeSecret ? made.seal(callbackSecretVersion + 1) : kept
  return {
    callback: {
      url: input.url,
      enabled: input.enabled,
      method,
      secret,
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

/** The callback of an application; `callback_not_configured` where there is none. */
export function callbackOf({
  outcomeCallback,
}: Pick<Application, 'outcomeCallback'>): Result<OutcomeCallback> {
  return outcomeCallback
    ? ok(outcomeCallback)
    : refuse('callback_not_configured', 'the application has no outcome callback')
}
