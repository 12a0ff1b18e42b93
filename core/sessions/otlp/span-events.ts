import type { Json, SpanRules, SpanScore } from '../../content/span.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { attributesOf } from './any-value.ts'
import { evaluation } from './conventions.ts'
import type { SpanEvent } from './event-content.ts'
import { within } from './faults.ts'
import { countAt, memberAt, messagesAt, textAt } from './members.ts'
import { millisecondsOf, nanosecondsOf } from './nanoseconds.ts'
import { labelText, scalarText } from './plain-text.ts'

/** The events of a span as content, and the scores among them. */
export interface SpanEvents {
  readonly events: readonly SpanEvent[]
  readonly scores: readonly SpanScore[]
  /** Whether attributes of one were dropped at the source. */
  readonly incompleteAtSource: boolean
}

/** Reads a span's events: `{name, time, attributes, droppedAttributesCount?}`. */
export function eventsOf(span: object, drops: SpanRules['drops']): SpanEvents {
  const given = messagesAt(span, 'events')
  const events: SpanEvent[] = []
  const scores: SpanScore[] = []
  let incompleteAtSource = false
  let index = 0
  try {
    for (; index < given.length; index++) {
      const event = given[index] as object
      const name = textAt(event, 'name')
      const nanoseconds = nanosecondsOf(memberAt(event, 'timeUnixNano'))
      const time = nanoseconds === null ? null : isoTime(millisecondsOf(nanoseconds))
      const attributes = attributesOf(event, drops)
      const dropped = countAt(event, 'droppedAttributesCount')
      incompleteAtSource ||= dropped > 0
      events.push({
        ...{ name, time, attributes },
        ...(dropped > 0 && { droppedAttributesCount: dropped }),
      })
      const score = name === evaluation.event ? scoreOf(attributes) : null
      if (score) scores.push(score)
    }
  } catch (error) {
    throw within(error, `/events/${index}`)
  }
  return { events, scores, incompleteAtSource }
}

/** Null where it has no name or its value is no number. */
function scoreOf(attributes: { readonly [key: string]: Json }): SpanScore | null {
  const { text: name } = labelText(scalarText(attributes[evaluation.name]))
  const value = attributes[evaluation.value]
  if (name === null || typeof value !== 'number') return null
  return { name, value, label: labelText(scalarText(attributes[evaluation.label])).text }
}
