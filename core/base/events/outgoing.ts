import type { EventType, SubscriptionEventType } from './catalogue.ts'
import { encodeEvent } from './envelope.ts'
import { envelopes } from './envelopes.ts'
import type { LegacyEvent, PlatformEvent } from './legacy.ts'

/** An event that a decision yields; its id is the body's id, its time the `eventTime` under the routing row seen. */
export interface Outgoing {
  readonly id: string
  readonly type: Exclude<EventType, SubscriptionEventType>
  readonly applicationId: string | null
  readonly body: Uint8Array
}

type Without<E> = E extends LegacyEvent
  ? Pick<E, 'type' | 'applicationId' | 'data'>
  : E extends PlatformEvent
    ? Pick<E, 'type' | 'application' | 'data'>
    : never

/** An event without what each has from its commit: id, time and organization. */
export type Announced = Without<LegacyEvent | PlatformEvent>

/** An event with what its commit gives it; `at`: ISO 8601. */
export function outgoing(
  event: Announced,
  { id, at, tenantId }: { readonly id: string; readonly at: string; readonly tenantId: string },
): Outgoing {
  const { type, data } = event
  const whole =
    'application' in event
      ? {
          id,
          type,
          timestamp: at,
          apiVersion: envelopes.platform.apiVersion[0],
          customerId: tenantId,
          application: event.application,
          data,
        }
      : { id, type, timestamp: at, tenantId, applicationId: event.applicationId, data }
  return {
    id,
    type,
    applicationId: 'application' in event ? (event.application?.id ?? null) : event.applicationId,
    // Encoded on first use: most events have no receiver.
    get body() {
      return encodeEvent(whole as LegacyEvent | PlatformEvent)
    },
  }
}
