import type { catalogue, EventType } from './catalogue.ts'
import type { Envelope, envelopes } from './envelopes.ts'
import type { ObjectOf } from './shape.ts'

type Flat<T> = { readonly [Name in keyof T]: T[Name] }

/** The members of an envelope, whatever its types settle. */
export type EnvelopeOf<E extends Envelope, T extends EventType = EventType> = Flat<
  Omit<ObjectOf<(typeof envelopes)[E]>, 'type'> & { readonly type: T }
>

type SettledBy<T extends EventType> = (typeof catalogue)[T] extends { readonly members: infer M }
  ? ObjectOf<M>
  : unknown

/** The event of a type; of several types their union, which `type` tells apart. */
export type EventOf<T extends EventType> = T extends EventType
  ? Flat<Omit<EnvelopeOf<(typeof catalogue)[T]['envelope'], T>, keyof SettledBy<T>> & SettledBy<T>>
  : never
