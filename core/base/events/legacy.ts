import type { LegacyEventType, PlatformEventType } from './catalogue.ts'
import type { EventOf } from './event.ts'

/** The legacy envelope (alerts, sessions, GDPR, purge, quality, evidence package). */
export type LegacyEvent = EventOf<LegacyEventType>

/** Session, application, health and compliance events have an envelope of their own. */
export type PlatformEvent = EventOf<PlatformEventType>
