import type { EventType, SubscriptionEventType } from './catalogue.ts'

/** An event that a decision yields; its id is the body's id, its time the `eventTime` under the routing row seen. */
export interface Outgoing {
  readonly id: string
  readonly type: Exclude<EventType, SubscriptionEventType>
  readonly applicationId: string | null
  readonly body: Uint8Array
}
