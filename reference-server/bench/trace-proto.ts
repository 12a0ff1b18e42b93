import protobuf from 'protobufjs'

/** What an export of spans uses of opentelemetry-proto's trace/v1 and common/v1. */
const source = `
syntax = "proto3";
message Export { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message Scope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  int32 kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  Status status = 15;
}
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
}
`

const message = protobuf.parse(source).root.lookupType('Export')

/** Ids of a span in hex, as JSON has them. */
interface Ids {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
}

/** An export that is given as OTLP's JSON has it, in protobuf. */
export function inProtobuf(spans: readonly (object & Ids)[], around: object): Uint8Array {
  const written = spans.map((span) => ({
    ...span,
    traceId: Buffer.from(span.traceId, 'hex'),
    spanId: Buffer.from(span.spanId, 'hex'),
    parentSpanId: Buffer.from(span.parentSpanId, 'hex'),
  }))
  const scopeSpans = [{ scope: { name: 'bench', version: '1.0.0' }, spans: written }]
  return message.encode(message.fromObject({ resourceSpans: [{ ...around, scopeSpans }] })).finish()
}

/** The spans of an export in protobuf, ids as bytes. */
export function spansIn(body: Uint8Array): readonly DecodedSpan[] {
  const { resourceSpans } = message.toObject(message.decode(body), { longs: String })
  return resourceSpans[0].scopeSpans[0].spans
}

/** A span as protobufjs gives it. */
export interface DecodedSpan {
  readonly traceId: Buffer
  readonly spanId: Buffer
  readonly startTimeUnixNano: string
}
