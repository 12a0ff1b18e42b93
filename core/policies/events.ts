import type { LegacyEventType, PlatformEventType } from '../base/events/catalogue.ts'
import { encodeEvent } from '../base/events/envelope.ts'
import { envelopes } from '../base/events/envelopes.ts'
import type { EventOf } from '../base/events/event.ts'
import type { LegacyEvent, PlatformEvent } from '../base/events/legacy.ts'
import type { Outgoing } from '../base/events/outgoing.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import type { Scene } from '../review/execution/scene.ts'

/** What every event says of its application and of itself. `at`: ms, the `eventTime` of its commit. */
export interface EventHead {
  readonly id: string
  readonly at: number
  readonly tenantId: string
  /** Null for what spans applications. */
  readonly application: { readonly applicationId: string; readonly name: string } | null
}

/** The head of an event of this scene's application. */
export function headOf({ unit, at, application }: Scene, tenantId: string): EventHead {
  if (!application) throw new TypeError('expected the application of the scene, got none')
  return { id: unit.id('evt'), at, tenantId, application: application.row }
}

/** An event in the legacy envelope. */
export function legacyEvent<T extends LegacyEventType>(
  head: EventHead,
  type: T,
  data: EventOf<T>['data'],
): Outgoing {
  const { id, at, tenantId, application } = head
  const applicationId = application?.applicationId ?? null
  return outgoing(
    { id, type, timestamp: isoTime(at), tenantId, applicationId, data } as LegacyEvent & {
      readonly type: T
    },
    applicationId,
  )
}

/** An event in the platform envelope. */
export function platformEvent<T extends PlatformEventType>(
  head: EventHead,
  type: T,
  data: EventOf<T>['data'],
): Outgoing {
  const { id, at, tenantId, application } = head
  return outgoing(
    {
      id,
      type,
      timestamp: isoTime(at),
      apiVersion: envelopes.platform.apiVersion[0],
      customerId: tenantId,
      application: application && { id: application.applicationId, name: application.name },
      data,
    } as PlatformEvent & { readonly type: T },
    application?.applicationId ?? null,
  )
}

function outgoing(event: LegacyEvent | PlatformEvent, applicationId: string | null): Outgoing {
  return {
    id: event.id,
    type: event.type,
    applicationId,
    // Encoded on first use: most events have no receiver.
    get body() {
      return encodeEvent(event)
    },
  }
}
