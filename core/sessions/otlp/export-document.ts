/** How an export is written (OTLP/HTTP): `application/json` or `application/x-protobuf`. */
export const exportEncodings = ['json', 'protobuf'] as const
/** One of `exportEncodings`. */
export type ExportEncoding = (typeof exportEncodings)[number]

/** An export in pieces: messages are as OTLP's JSON has them, whatever it came in. */
export interface ExportDocument {
  /** The collection, with `[first, count]` in place of the spans of each scope. */
  readonly collection: unknown
  /** Spans beyond the limit of a request, which were skipped unread. */
  readonly over: number
  /** Bytes of a span. */
  sizeOf(at: number): number
  /** Reads one span. Throws `ShapeError` for what is none, and `SpanRejected` for one with too many values. */
  read(at: number): Generator<undefined, unknown>
}

/** What a document may hold beside the bytes of its body. */
export const documentLimits = {
  /** Texts, numbers, literals, objects and arrays of one span; its bytes are within those of the body. */
  valuesOfSpan: 50_000,
  /** Of resources and scopes together. */
  beside: { bytes: 4_194_304, values: 100_000 },
} as const

/** What is wrong where resources and scopes hold more. */
export const tooMuchBeside: string = `expected at most ${documentLimits.beside.bytes} bytes and ${documentLimits.beside.values} values beside the spans`
