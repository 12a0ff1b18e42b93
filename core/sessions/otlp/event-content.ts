import type { Json } from '../../content/span.ts'
import type { Attributes } from './any-value.ts'
import { type Found, inputOf, outputOf } from './step-content.ts'

// Earlier versions of OpenTelemetry's conventions for generative AI, and instrumentations that follow them, write what a
// model was asked and answered as events of its span: one a message, or one for all.

/** An event of a span as it is kept. */
export type SpanEvent = {
  readonly name: string
  /** ISO 8601; null where the event has none. */
  readonly time: string | null
  readonly attributes: Attributes
  readonly [more: string]: Json
}

/** Which contents are looked for. */
export interface Wanted {
  readonly input: boolean
  readonly output: boolean
}

/** Contents that events hold, null where they hold none, and the events without them. */
export interface EventContents {
  readonly input: Json
  readonly output: Json
  readonly events: readonly SpanEvent[]
}

const inputMessage = /^gen_ai\.(system|user|assistant|tool)\.message$/
const outputMessage = 'gen_ai.choice'
/** Events whose attributes are those that a span may have. */
const wholeEvents: ReadonlySet<string> = new Set([
  'gen_ai.client.inference.operation.details',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
])
/** What an event of a message names beside the message. */
const besideMessage: ReadonlySet<string> = new Set(['gen_ai.system', 'gen_ai.provider.name'])
/** A message's text, where it is no attribute `content`. */
const messageKey = 'gen_ai.event.content'

const noContents: EventContents = { input: null, output: null, events: [] }

/** Takes contents out of events; of a message all attributes but the provider's name. */
export function contentsOfEvents(events: readonly SpanEvent[], wanted: Wanted): EventContents {
  if (events.length === 0) return noContents
  const [asked, answered]: [Json[], Json[]] = [[], []]
  let [input, output]: [Json, Json] = [null, null]
  const kept = events.map((event): SpanEvent => {
    const role = inputMessage.exec(event.name)?.[1] ?? null
    if (role !== null && wanted.input) {
      asked.push(messageOf(role, event.attributes))
      return withoutMessage(event)
    }
    if (event.name === outputMessage && wanted.output) {
      answered.push(messageOf('assistant', event.attributes))
      return withoutMessage(event)
    }
    if (!wholeEvents.has(event.name)) return event
    const given = wanted.input && input === null ? inputOf(event.attributes) : null
    const came = wanted.output && output === null ? outputOf(event.attributes) : null
    input ??= given?.value ?? null
    output ??= came?.value ?? null
    return withoutKeys(event, [given, came])
  })
  return {
    input: input ?? (asked.length > 0 ? asked : null),
    output: output ?? (answered.length > 0 ? answered : null),
    events: kept,
  }
}

function messageOf(role: string, attributes: Attributes): Json {
  const members = Object.entries(attributes).filter(([key]) => !besideMessage.has(key))
  const named = members.map(([key, value]) => [
    key === messageKey && !('content' in attributes) ? 'content' : key,
    value,
  ])
  return { role, ...Object.fromEntries(named) }
}

function withoutMessage(event: SpanEvent): SpanEvent {
  const left = Object.entries(event.attributes).filter(([key]) => besideMessage.has(key))
  return { ...event, attributes: Object.fromEntries(left) }
}

function withoutKeys(event: SpanEvent, found: readonly (Found | null)[]): SpanEvent {
  const taken = new Set(found.flatMap((each) => each?.keys ?? []))
  if (taken.size === 0) return event
  const left = Object.entries(event.attributes).filter(([key]) => !taken.has(key))
  return { ...event, attributes: Object.fromEntries(left) }
}
