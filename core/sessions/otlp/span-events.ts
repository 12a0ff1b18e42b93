import type { Json, SpanRules, SpanScore } from '../../content/span.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { attributesOf } from './any-value.ts'
import { evaluation } from './conventions.ts'
import { within } from './faults.ts'
import { memberAt, messagesAt, textAt } from './members.ts'
import { millisecondsOf, nanosecondsOf } from './nanoseconds.ts'
import { labelText, scalarText } from './plain-text.ts'

/** The events of a span as content, and the scores among them. */
export interface SpanEvents {
  readonly events: readonly Json[]
  readonly scores: readonly SpanScore[]
}

/** Reads a span's events: `{name, time, attributes}`. */
export function eventsOf(span: object, drops: SpanRules['drops']): SpanEvents {
  const given = messagesAt(span, 'events')
  const events: Json[] = []
  const scores: SpanScore[] = []
  let index = 0
  try {
    for (; index < given.length; index++) {
      const event = given[index] as object
      const name = textAt(event, 'name')
      const nanoseconds = nanosecondsOf(memberAt(event, 'timeUnixNano'))
      const time = nanoseconds === null ? null : isoTime(millisecondsOf(nanoseconds))
      const attributes = attributesOf(event, drops)
      events.push({ name, time, attributes })
      const score = name === evaluation.event ? scoreOf(attributes) : null
      if (score) scores.push(score)
    }
  } catch (error) {
    throw within(error, `/events/${index}`)
  }
  return { events, scores }
}

/** Null where it has no name or its value is no number. */
function scoreOf(attributes: { readonly [key: string]: Json }): SpanScore | null {
  const { text: name } = labelText(scalarText(attributes[evaluation.name]))
  const value = attributes[evaluation.value]
  if (name === null || typeof value !== 'number') return null
  return { name, value, label: labelText(scalarText(attributes[evaluation.label])).text }
}
