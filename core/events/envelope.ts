import type { ReviewEvent, SubscriptionEvent } from './review.ts'
import type { OlderEvent, PlatformEvent } from './service.ts'

export type ServiceEvent = ReviewEvent | SubscriptionEvent | OlderEvent | PlatformEvent

const utf8 = new TextEncoder()

/** The bytes of an event, made once: they are stored, signed and sent as they are, at every attempt. */
export function encodeEvent(event: ServiceEvent): Uint8Array {
  return utf8.encode(JSON.stringify(event))
}
