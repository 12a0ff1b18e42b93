import type { Event } from './messages.ts'
import { properties } from './properties/index.ts'
import type { Property } from './property.ts'
import { typesInTurn } from './types.ts'

/** A kind of endpoint: what it promises, and what it takes. */
export interface EndpointKind {
  readonly properties: readonly Property[]
  /** The message that this endpoint is sent where a history says an event; its id stays, and one event is one message. */
  readonly messageOf: (event: Event) => Event
  /** Types of the events of a history that is about every family, one after the other. */
  readonly types: readonly string[]
  /** Whether messages of several types come, some of which may mean nothing to it. */
  readonly hasTypes: boolean
}

/** Endpoints that receive events. */
export const receivers: EndpointKind = {
  properties,
  messageOf: (event) => event,
  types: typesInTurn,
  hasTypes: true,
}
