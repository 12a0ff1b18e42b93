export type LifecycleState = 'active' | 'pending_deletion' | 'purging' | 'purged'

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

export interface ApplicationView {
  readonly applicationId: string
  readonly name: string
  readonly lifecycleState: LifecycleState
  readonly createdAt: string
  readonly outcomeCallback: OutcomeCallbackView | null
}
