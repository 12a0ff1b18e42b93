import type { LegacyEvent, PlatformEvent } from './legacy.ts'
import type { ReviewEvent, SubscriptionEvent } from './review.ts'

/** An event of any type, as it is sent. */
export type AnyEvent = ReviewEvent | SubscriptionEvent | LegacyEvent | PlatformEvent

const utf8 = new TextEncoder()

/** The bytes of an event, made once: they are stored, signed and sent as they are, at every attempt. */
export function encodeEvent(event: AnyEvent): Uint8Array {
  return utf8.encode(JSON.stringify(event))
}
