/** Life of an application; anything but `active` takes no data. */
export type LifecycleState = 'active' | 'pending_deletion' | 'purging' | 'purged'

/** Where an application's outcomes go, and with what they are signed. */
export interface OutcomeCallbackView {
  readonly url: string
  readonly enabled: boolean
  readonly signing: {
    readonly method: 'ed25519' | 'shared_secret'
    readonly publicKey: string | null
    readonly hasSecret: boolean
    /** There only in the answer that made it. */
    readonly secret?: string
  }
  /** The endpoint answered 410; the URL must be saved again before a replay. */
  readonly gone: boolean
  readonly updatedAt: string
}

/** An application as it is returned; times are ISO 8601 UTC. */
export interface ApplicationView {
  readonly applicationId: string
  readonly name: string
  readonly lifecycleState: LifecycleState
  readonly createdAt: string
  readonly outcomeCallback: OutcomeCallbackView | null
}
