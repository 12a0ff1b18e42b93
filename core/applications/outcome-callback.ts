import type { OutcomeCallback } from './records.ts'

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

/**
 * The callback after its owner saved it. A shared secret is made when the method first becomes `shared_secret`
 * and dropped when it becomes `ed25519`; `seal` yields the new secret sealed as this version, so that one that
 * was sealed before never stands in for it.
 */
export function saveCallback(
  was: OutcomeCallback | null,
  input: SaveCallback,
  made: {
    readonly now: number
    readonly seal: (version: number) => { readonly version: number; readonly sealed: Uint8Array }
  },
): SavedCallback {
  const method = input.signing?.method ?? was?.method ?? 'ed25519'
  const version = was?.secretVersion ?? 0
  const kept = method === 'shared_secret' ? (was?.secret ?? null) : null
  const madeSecret = method === 'shared_secret' && kept === null
  const secret = madeSecret ? made.seal(version + 1) : kept
  return {
    callback: {
      url: input.url,
      enabled: input.enabled,
      method,
      secret,
      secretVersion: secret?.version ?? version,
      gone: false,
      updatedAt: made.now,
    },
    madeSecret,
  }
}
