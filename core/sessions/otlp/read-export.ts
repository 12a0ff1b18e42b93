import { type Cut, cutJson } from '../../base/json/cut-json.ts'
import { createSlices } from '../../base/json/in-slices.ts'
import { keptBytes, type Piece, readPiece } from '../../base/json/piece.ts'
import type { NormalSpan, ReadExport, RejectionReason, SpanRules } from '../../content/span.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'
import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import { refuseAt } from '../refuse-at.ts'
import { attributesOf } from './any-value.ts'
import { ShapeError, SpanRejected, within } from './faults.ts'
import { type Mapping, mappingOf, mapSpan, type Surroundings, withoutSubject } from './map-span.ts'
import { isObject, listAt, messageAt, messagesAt, textAt } from './members.ts'
import { labelText } from './plain-text.ts'

const spansPath = ['resourceSpans', null, 'scopeSpans', null, 'spans'] as const
/** Texts, numbers, literals, objects and arrays of one span; its bytes are within those of the body. */
const mostOfSpan = 50_000
/** Of resources and scopes together. */
const mostBeside = { bytes: 4_194_304, values: 100_000 } as const
/** The spans of one scope: so many pieces from `first` on. */
interface SpanRange {
  readonly first: number
  readonly count: number
  readonly pointer: string
  /** A reason where none of them can be taken. */
  readonly surroundings: Surroundings | RejectionReason
}

/**
 * Reads an export in OTLP/HTTP's JSON, span by span with pauses between, none more than some milliseconds of work after
 * the last one. Refuses any other body with `invalid_request`; single spans that can't be taken are counted.
 */
export function* readExport(
  body: Uint8Array,
  rules: SpanRules,
): Generator<undefined, Result<ReadExport>> {
  const cut = yield* cutJson(body, spansPath, { pieces: ingestLimits.spansPerRequest })
  if ('fault' in cut) return refuseAt('', cut.fault)
  const mapping = mappingOf(rules)
  const ranges = yield* rangesOf(body, cut, mapping)
  if (!ranges.ok) return ranges

  const spans: NormalSpan[] = []
  const rejected: Partial<Record<RejectionReason, number>> = {}
  const reject = (reason: RejectionReason, count: number) => {
    if (count > 0) rejected[reason] = (rejected[reason] ?? 0) + count
  }
  reject('over_limit', cut.over)
  const slices = createSlices()
  for (const range of ranges.value) {
    for (let at = 0; at < range.count; at++) {
      const piece = cut.pieces[range.first + at] as Piece
      if (slices.spend(piece.end - piece.start)) yield
      const read = yield* readSpan(body, piece, range, mapping)
      if (typeof read === 'string') reject(read, 1)
      else if (read instanceof ShapeError)
        return refuseAt(`${range.pointer}/${at}${read.pointer}`, read.message)
      else spans.push(read)
    }
  }
  return ok({ spans, rejected })
}

function* readSpan(
  body: Uint8Array,
  piece: Piece,
  { surroundings }: SpanRange,
  mapping: Mapping,
): Generator<undefined, NormalSpan | RejectionReason | ShapeError> {
  if (piece.values > mostOfSpan) return 'over_limit'
  const parsed = yield* readPiece(body, piece)
  if ('fault' in parsed) return new ShapeError('', parsed.fault)
  try {
    if (!isObject(parsed.value)) throw new ShapeError('', 'expected a span')
    if (typeof surroundings === 'string') return surroundings
    return mapSpan(parsed.value, surroundings, mapping)
  } catch (error) {
    if (error instanceof SpanRejected) return error.reason
    if (error instanceof ShapeError) return error
    throw error
  }
}

/** Which spans belong to which resource and scope. */
function* rangesOf(
  body: Uint8Array,
  { rest }: Cut,
  mapping: Mapping,
): Generator<undefined, Result<readonly SpanRange[]>> {
  if (keptBytes(rest) > mostBeside.bytes || rest.values > mostBeside.values)
    return refuseAt(
      '',
      `expected at most ${mostBeside.bytes} bytes and ${mostBeside.values} values beside the spans`,
    )
  const parsed = yield* readPiece(body, rest)
  if ('fault' in parsed) return refuseAt('', parsed.fault)
  try {
    const { value } = parsed
    if (!isObject(value) || !Array.isArray((value as { resourceSpans?: unknown }).resourceSpans))
      throw new ShapeError('', 'expected an object with a list of resourceSpans')
    return ok(
      messagesAt(value, 'resourceSpans').flatMap((each, index) =>
        rangesOfResource(each, `/resourceSpans/${index}`, mapping),
      ),
    )
  } catch (error) {
    if (error instanceof ShapeError) return refuseAt(error.pointer, error.message)
    throw error
  }
}

function rangesOfResource(given: object, pointer: string, mapping: Mapping): readonly SpanRange[] {
  let part = pointer
  try {
    const resource = resourceOf(given, mapping)
    return messagesAt(given, 'scopeSpans').flatMap((scoped, index): readonly SpanRange[] => {
      part = `${pointer}/scopeSpans/${index}`
      const scope = scopeOf(scoped)
      // What the cutter put in place of the spans.
      const [first, count] = listAt(scoped, 'spans') as readonly number[]
      if (first === undefined || count === undefined) return []
      const surroundings = typeof resource === 'string' ? resource : { ...resource, scope }
      return [{ first, count, pointer: `${part}/spans`, surroundings }]
    })
  } catch (error) {
    throw within(error, part)
  }
}

function resourceOf(
  given: object,
  mapping: Mapping,
): Omit<Surroundings, 'scope'> | RejectionReason {
  const message = messageAt(given, 'resource') ?? {}
  try {
    const resource = attributesOf(message, mapping.drops)
    return { resource, shown: withoutSubject(resource, mapping) }
  } catch (error) {
    if (error instanceof SpanRejected) return error.reason
    throw within(error, '/resource')
  }
}

function scopeOf(scoped: object): Surroundings['scope'] {
  const scope = messageAt(scoped, 'scope') ?? {}
  try {
    const of = (name: string) => labelText(textAt(scope, name)).text ?? ''
    return { name: of('name'), version: of('version') }
  } catch (error) {
    throw within(error, '/scope')
  }
}
