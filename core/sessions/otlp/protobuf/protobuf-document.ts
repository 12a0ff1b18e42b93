import { BinaryReader } from '@bufbuild/protobuf/wire'
import { sliceSize } from '../../../base/json/in-slices.ts'
import { ingestLimits } from '../../../kernel/ledger/limits.ts'
import { documentLimits, type ExportDocument, tooMuchBeside } from '../export-document.ts'
import { ShapeError, SpanRejected, within } from '../faults.ts'
import {
  type Budget,
  decode,
  endsEarly,
  expectOnce,
  listIn,
  type Made,
  readScalar,
  skip,
  spend,
  stopOf,
  tagOf,
} from './decode.ts'
import { collection, type Message, resourceSpans, scopeSpans, span } from './messages.ts'

/** The level of a span's object in JSON. */
const spanLevel = 7
/** Messages whose fields are walked through with pauses; a scope's spans are cut out. */
const walked: ReadonlySet<Message> = new Set([collection, resourceSpans, scopeSpans])

/** The spans of a document that are cut out, and what is left for the rest of it. */
interface Cutting {
  readonly starts: number[]
  readonly ends: number[]
  over: number
  /** Bytes of all spans. */
  bytes: number
  readonly beside: Budget
  pauseAt: number
}

/**
 * Cuts an export in protobuf into its spans, none of which it reads, with a pause after each 128 KiB. Throws
 * `ShapeError` for any other body; an empty one is an export without spans.
 */
export function* openProtobuf(body: Uint8Array): Generator<undefined, ExportDocument> {
  const reader = new BinaryReader(body)
  const cutting: Cutting = {
    ...{ starts: [], ends: [], over: 0, bytes: 0, pauseAt: sliceSize },
    beside: {
      left: documentLimits.beside.values,
      exceeded: () => new ShapeError('', tooMuchBeside),
    },
  }
  const { resourceSpans: listed = [] } = yield* walk(reader, body.length, collection, 1, cutting)
  if (body.length - cutting.bytes > documentLimits.beside.bytes)
    throw new ShapeError('', tooMuchBeside)
  const { starts, ends, over } = cutting
  const rangeOf = (at: number) => [starts[at] as number, ends[at] as number] as const
  return {
    collection: { resourceSpans: listed },
    over,
    sizeOf(at) {
      const [start, end] = rangeOf(at)
      return end - start
    },
    *read(at) {
      const [start, end] = rangeOf(at)
      reader.pos = start
      const budget: Budget = {
        left: documentLimits.valuesOfSpan,
        exceeded: () => new SpanRejected('over_limit'),
      }
      const message = decode(reader, end, span, spanLevel, budget)
      // What is made of a large one is a slice of its own.
      if (end - start > sliceSize) yield
      return message
    },
  }
}

function* walk(
  reader: BinaryReader,
  end: number,
  message: Message,
  level: number,
  cutting: Cutting,
): Generator<undefined, Made> {
  const made: Made = {}
  const first = cutting.starts.length
  while (reader.pos < end) {
    if (reader.pos >= cutting.pauseAt) {
      yield
      cutting.pauseAt = reader.pos + sliceSize
    }
    const tag = tagOf(reader)
    const field = message[tag >>> 3]
    if (field && 'message' in field && field.message() === span) {
      const stop = stopOf(reader, tag, end, field.name)
      cut(cutting, reader.pos, stop)
      reader.pos = stop
      continue
    }
    spend(cutting.beside)
    if (!field) skip(reader, tag)
    else if ('wire' in field) readScalar(reader, tag, field, made)
    else {
      const { name, message: of, repeated } = field
      const stop = stopOf(reader, tag, end, name)
      const list = repeated ? listIn(made, name) : null
      if (!list) expectOnce(made, name)
      try {
        const value = walked.has(of())
          ? yield* walk(reader, stop, of(), level + 2, cutting)
          : decode(reader, stop, of(), level + 1, cutting.beside)
        if (list) list.push(value)
        else made[name] = value
      } catch (error) {
        throw within(error, list ? `/${name}/${list.length}` : `/${name}`)
      }
    }
    if (reader.pos > end) throw new ShapeError('', endsEarly)
  }
  // As JSON is cut.
  if (message === scopeSpans) made.spans = [first, cutting.starts.length - first]
  return made
}

function cut(cutting: Cutting, start: number, end: number): void {
  cutting.bytes += end - start
  if (cutting.starts.length === ingestLimits.spansPerRequest) {
    cutting.over++
    return
  }
  cutting.starts.push(start)
  cutting.ends.push(end)
}
