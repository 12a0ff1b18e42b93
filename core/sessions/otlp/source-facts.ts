import type { Json, SpanRules } from '../../content/span.ts'
import { attributesOf } from './any-value.ts'
import { within } from './faults.ts'
import { countAt, enumAt, messagesAt, textAt } from './members.ts'
import { labelText } from './plain-text.ts'

// What OTLP tells beside a span's attributes. It is kept among these, by the keys that OpenTelemetry has for it where a
// format has no other place, else by keys of ours under `otel.`. What has its default is left out.

/** Facts by the key that they are kept under. */
export interface SourceFacts {
  readonly facts: Readonly<Record<string, Json>>
  /** Whether the source says that it dropped something. */
  readonly incompleteAtSource: boolean
}

type Drops = SpanRules['drops']

/** By SpanKind; `internal`, which an unspecified one is taken for, is left out. */
const kinds = new Map([
  [2, 'server'],
  [3, 'client'],
  [4, 'producer'],
  [5, 'consumer'],
])

/** Counts of what a span lost, with the keys that they are kept under. */
const droppedKeys = [
  ['droppedAttributesCount', 'otel.dropped_attributes_count'],
  ['droppedEventsCount', 'otel.dropped_events_count'],
  ['droppedLinksCount', 'otel.dropped_links_count'],
] as const

/** Of a span itself. */
export function spanFacts(span: object, drops: Drops): SourceFacts {
  // Spans come by the thousand: only what is told is written.
  const facts: Record<string, Json> = {}
  const kind = enumAt(span, 'kind')
  if (kind !== 0 && kind !== 1) facts['otel.kind'] = kinds.get(kind) ?? kind
  const state = textAt(span, 'traceState')
  if (state !== '') facts['otel.trace_state'] = state
  const links = linksOf(span, drops)
  if (links.length > 0) facts['otel.links'] = links
  let incompleteAtSource = links.some((link) => 'droppedAttributesCount' in link)
  for (const [name, key] of droppedKeys) {
    const dropped = countAt(span, name)
    if (dropped === 0) continue
    facts[key] = dropped
    incompleteAtSource = true
  }
  return { facts, incompleteAtSource }
}

/** Of a scope's spans; `attributes` are the scope's, as they are kept. */
export function scopeFacts(
  scope: object,
  attributes: { readonly [key: string]: Json },
  schemaUrl: string,
): SourceFacts {
  const label = (name: string) => labelText(textAt(scope, name)).text
  const dropped = countAt(scope, 'droppedAttributesCount')
  return {
    facts: told({
      'otel.scope.name': label('name'),
      'otel.scope.version': label('version'),
      'otel.scope.attributes': Object.keys(attributes).length > 0 ? attributes : null,
      'otel.scope.schema_url': schemaUrl,
      'otel.scope.dropped_attributes_count': dropped,
    }),
    incompleteAtSource: dropped > 0,
  }
}

/** Of a resource's spans. */
export function resourceFacts(resource: object, schemaUrl: string): SourceFacts {
  const dropped = countAt(resource, 'droppedAttributesCount')
  return {
    facts: told({
      'otel.resource.schema_url': schemaUrl,
      'otel.resource.dropped_attributes_count': dropped,
    }),
    incompleteAtSource: dropped > 0,
  }
}

/** As `{traceId, spanId, traceState?, attributes?, droppedAttributesCount?}`. */
function linksOf(span: object, drops: Drops): readonly { readonly [member: string]: Json }[] {
  return messagesAt(span, 'links').map((link, index) => {
    try {
      const attributes = attributesOf(link, drops)
      return {
        traceId: textAt(link, 'traceId').toLowerCase(),
        spanId: textAt(link, 'spanId').toLowerCase(),
        ...told({
          traceState: textAt(link, 'traceState'),
          attributes: Object.keys(attributes).length > 0 ? attributes : null,
          droppedAttributesCount: countAt(link, 'droppedAttributesCount'),
        }),
      }
    } catch (error) {
      throw within(error, `/links/${index}`)
    }
  })
}

/** Those that are no default. */
function told(facts: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== null && value !== '' && value !== 0),
  )
}
