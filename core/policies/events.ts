import type { LegacyEventType, PlatformEventType } from '../base/events/catalogue.ts'
import type { EventOf } from '../base/events/event.ts'
import { type Announced, type Outgoing, outgoing } from '../base/events/outgoing.ts'
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
  const applicationId = head.application?.applicationId ?? null
  return announced({ type, applicationId, data } as Announced, head)
}

/** An event in the platform envelope. */
export function platformEvent<T extends PlatformEventType>(
  head: EventHead,
  type: T,
  data: EventOf<T>['data'],
): Outgoing {
  const { application } = head
  const place = application && { id: application.applicationId, name: application.name }
  return announced({ type, application: place, data } as Announced, head)
}

function announced(event: Announced, { id, at, tenantId }: EventHead): Outgoing {
  return outgoing(event, { id, at: isoTime(at), tenantId })
}
