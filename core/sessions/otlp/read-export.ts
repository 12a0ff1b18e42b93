import { createSlices } from '../../base/json/in-slices.ts'
import type { NormalSpan, ReadExport, RejectionReason, SpanRules } from '../../content/span.ts'
import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import { refuseAt } from '../refuse-at.ts'
import { type Attributes, attributesOf } from './any-value.ts'
import type { ExportDocument, ExportEncoding } from './export-document.ts'
import { ShapeError, SpanRejected, within } from './faults.ts'
import { openJson } from './json-document.ts'
import { type Mapping, mappingOf, mapSpan, type Surroundings, withoutSubject } from './map-span.ts'
import { isObject, listAt, messageAt, messagesAt, textAt } from './members.ts'
import { openProtobuf } from './protobuf/protobuf-document.ts'
import { resourceFacts, scopeFacts } from './source-facts.ts'

/** The spans of one scope: so many pieces from `first` on. */
interface SpanRange {
  readonly first: number
  readonly count: number
  readonly pointer: string
  /** A reason where none of them can be taken. */
  readonly surroundings: Surroundings | RejectionReason
}

/** Opens a body in each encoding. */
const openers: Readonly<
  Record<ExportEncoding, (body: Uint8Array) => Generator<undefined, ExportDocument>>
> = { json: openJson, protobuf: openProtobuf }

/**
 * Reads an export, span by span with pauses between, none more than some milliseconds of work after the last one.
 * Refuses any other body with `invalid_request`; single spans that can't be taken are counted.
 */
export function* readExport(
  body: Uint8Array,
  rules: SpanRules,
  encoding: ExportEncoding = 'json',
): Generator<undefined, Result<ReadExport>> {
  try {
    const document = yield* openers[encoding](body)
    return ok(yield* readSpans(document, mappingOf(rules)))
  } catch (error) {
    if (error instanceof ShapeError) return refuseAt(error.pointer, error.message)
    throw error
  }
}

function* readSpans(document: ExportDocument, mapping: Mapping): Generator<undefined, ReadExport> {
  const spans: NormalSpan[] = []
  const rejected: Partial<Record<RejectionReason, number>> = {}
  const reject = (reason: RejectionReason, count: number) => {
    if (count > 0) rejected[reason] = (rejected[reason] ?? 0) + count
  }
  const ranges = rangesOf(document.collection, mapping)
  reject('over_limit', document.over)
  const slices = createSlices()
  for (const { first, count, pointer, surroundings } of ranges) {
    for (let at = 0; at < count; at++) {
      if (slices.spend(document.sizeOf(first + at))) yield
      try {
        const span = yield* document.read(first + at)
        if (!isObject(span)) throw new ShapeError('', 'expected a span')
        if (typeof surroundings === 'string') reject(surroundings, 1)
        else spans.push(mapSpan(span, surroundings, mapping))
      } catch (error) {
        if (!(error instanceof SpanRejected)) throw within(error, `${pointer}/${at}`)
        reject(error.reason, 1)
      }
    }
  }
  return { spans, rejected }
}

/** Which spans belong to which resource and scope. */
function rangesOf(collection: unknown, mapping: Mapping): readonly SpanRange[] {
  // An export without spans, as an empty message is one.
  if (isObject(collection) && Object.keys(collection).length === 0) return []
  if (
    !isObject(collection) ||
    !Array.isArray((collection as { resourceSpans?: unknown }).resourceSpans)
  )
    throw new ShapeError('', 'expected an object with a list of resourceSpans')
  return messagesAt(collection, 'resourceSpans').flatMap((each, index) =>
    rangesOfResource(each, `/resourceSpans/${index}`, mapping),
  )
}

function rangesOfResource(given: object, pointer: string, mapping: Mapping): readonly SpanRange[] {
  let part = pointer
  try {
    const resource = resourceOf(given, mapping)
    return messagesAt(given, 'scopeSpans').flatMap((scoped, index): readonly SpanRange[] => {
      part = `${pointer}/scopeSpans/${index}`
      const surroundings = surroundingsOf(resource, scoped, mapping)
      // What the cutter put in place of the spans.
      const [first, count] = listAt(scoped, 'spans') as readonly number[]
      if (first === undefined || count === undefined) return []
      return [{ first, count, pointer: `${part}/spans`, surroundings }]
    })
  } catch (error) {
    throw within(error, part)
  }
}

function resourceOf(given: object, mapping: Mapping): Surroundings | RejectionReason {
  const message = messageAt(given, 'resource') ?? {}
  const schemaUrl = textAt(given, 'schemaUrl')
  try {
    const resource = keptOf(message, mapping)
    const source = resourceFacts(message, schemaUrl)
    if (typeof resource === 'string') return resource
    return { resource, shown: withoutSubject(resource, mapping), source }
  } catch (error) {
    throw within(error, '/resource')
  }
}

function surroundingsOf(
  resource: Surroundings | RejectionReason,
  scoped: object,
  mapping: Mapping,
): Surroundings | RejectionReason {
  const message = messageAt(scoped, 'scope') ?? {}
  const schemaUrl = textAt(scoped, 'schemaUrl')
  try {
    const attributes = keptOf(message, mapping)
    const kept = typeof attributes === 'string' ? {} : withoutSubject(attributes, mapping)
    const scope = scopeFacts(message, kept, schemaUrl)
    if (typeof attributes === 'string') return attributes
    if (typeof resource === 'string') return resource
    const { facts, incompleteAtSource } = resource.source
    const source = {
      facts: { ...facts, ...scope.facts },
      incompleteAtSource: incompleteAtSource || scope.incompleteAtSource,
    }
    return { ...resource, source }
  } catch (error) {
    throw within(error, '/scope')
  }
}

/** The attributes of a resource or a scope, or why none of its spans can be taken. */
function keptOf(owner: object, { drops }: Mapping): Attributes | RejectionReason {
  try {
    return attributesOf(owner, drops)
  } catch (error) {
    if (error instanceof SpanRejected) return error.reason
    throw error
  }
}
