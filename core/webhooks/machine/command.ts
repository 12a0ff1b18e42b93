import type { EventType } from '../../base/events/catalogue.ts'
import type { SealedSecret } from '../../kernel/sealing/shared-secret.ts'
import type { Webhook } from '../records.ts'

/** A challenge made for one verification_requested. */
export interface Challenge {
  readonly messageId: string
  readonly challenge: string
}

export type Command =
  | {
      readonly kind: 'update'
      readonly url?: string | undefined
      readonly eventTypes?: readonly (EventType | '*')[] | undefined
      readonly description?: string | null | undefined
      readonly method?: Webhook['method'] | undefined
      /** Absent keeps, null removes, another rotates. */
      readonly secret?: SealedSecret | null | undefined
      readonly challenge: Challenge
    }
  | { readonly kind: 'request_verification'; readonly challenge: Challenge }
  | { readonly kind: 'rotate_secret'; readonly secret: SealedSecret; readonly force: boolean }
  | { readonly kind: 'turn_on'; readonly challenge: Challenge }
  | { readonly kind: 'turn_off' }
  /** A review event's last attempt failed; it was owed under this generation. */
  | { readonly kind: 'retries_exhausted'; readonly generation: number }
  /** An attempt at this URL was answered 410. */
  | { readonly kind: 'endpoint_gone'; readonly url: string }
  /** The verification of this message is over; `echoed` tells whether its answer was the challenge. */
  | { readonly kind: 'challenge_answered'; readonly messageId: string; readonly echoed: boolean }
  /** The events_missed of this message was delivered. */
  | { readonly kind: 'window_reported'; readonly messageId: string }
  /** It was given up, so that it is owed again. */
  | { readonly kind: 'window_unreported'; readonly messageId: string }
  /** The endpoint took a delivery: what it missed is owed now. `messageIds`: one for each `unannounced` window. */
  | { readonly kind: 'received'; readonly messageIds: readonly string[] }

/** A message to a webhook about itself. */
export type Notice =
  | ({ readonly type: 'subscription.verification_requested' } & Challenge)
  | { readonly type: 'subscription.disabled'; readonly reason: 'retries_exhausted' }
  | {
      readonly type: 'subscription.signing_key_rotating'
      readonly previousSecretValidUntil: number
    }
  | {
      readonly type: 'subscription.events_missed'
      readonly messageId: string
      readonly missedFrom: number
      readonly missedUntil: number
    }

export interface Decided {
  /** The same object as the input when nothing changed. */
  readonly webhook: Webhook
  readonly notices: readonly Notice[]
  /** Notices owed before whose deliveries were ended unsent: owed again. */
  readonly again: readonly string[]
}

/** In ms; `off` and `on` are what `offTime` and `onTime` say, `floor` is the routing row's. */
export interface Times {
  readonly now: number
  readonly off: number
  readonly on: number
  readonly floor: number | null
}
