import { BinaryWriter, base64Decode, WireType } from '@bufbuild/protobuf/wire'

type Kind = 'string' | 'bool' | 'int64' | 'double' | 'bytes' | 'id' | 'uint32' | 'fixed64'

/** Fields of each message by their names in JSON, as trace.proto, common.proto and resource.proto number them. */
const messages = {
  Export: { resourceSpans: [1, 'ResourceSpans'] },
  ResourceSpans: {
    resource: [1, 'Resource'],
    scopeSpans: [2, 'ScopeSpans'],
    schemaUrl: [3, 'string'],
  },
  Resource: { attributes: [1, 'KeyValue'], droppedAttributesCount: [2, 'uint32'] },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, 'Span'], schemaUrl: [3, 'string'] },
  Scope: {
    name: [1, 'string'],
    version: [2, 'string'],
    attributes: [3, 'KeyValue'],
    droppedAttributesCount: [4, 'uint32'],
  },
  Span: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    traceState: [3, 'string'],
    parentSpanId: [4, 'id'],
    name: [5, 'string'],
    kind: [6, 'uint32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue'],
    droppedAttributesCount: [10, 'uint32'],
    events: [11, 'Event'],
    droppedEventsCount: [12, 'uint32'],
    links: [13, 'Link'],
    droppedLinksCount: [14, 'uint32'],
    status: [15, 'Status'],
  },
  Event: {
    timeUnixNano: [1, 'fixed64'],
    name: [2, 'string'],
    attributes: [3, 'KeyValue'],
    droppedAttributesCount: [4, 'uint32'],
  },
  Link: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    traceState: [3, 'string'],
    attributes: [4, 'KeyValue'],
    droppedAttributesCount: [5, 'uint32'],
  },
  Status: { message: [2, 'string'], code: [3, 'uint32'] },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
    kvlistValue: [6, 'KeyValueList'],
    bytesValue: [7, 'bytes'],
  },
  ArrayValue: { values: [1, 'AnyValue'] },
  KeyValueList: { values: [1, 'KeyValue'] },
} as const

/** A message of OTLP's trace service. */
export type MessageName = keyof typeof messages

/** Writes a message that is given as OTLP's JSON has it; what JSON has beside becomes a field that no version knows. */
export function written(message: object, as: MessageName = 'Export'): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter()
  const fields: Readonly<Record<string, readonly [number, string]>> = messages[as]
  for (const [name, value] of Object.entries(message)) {
    if (value === null || value === undefined) continue
    const [number, kind] = fields[name] ?? [999, 'string']
    if (kind in messages)
      for (const each of Array.isArray(value) ? value : [value])
        writer.tag(number, WireType.LengthDelimited).bytes(written(each, kind as MessageName))
    else writeScalar(writer, number, kind as Kind, value)
  }
  return writer.finish()
}

function writeScalar(writer: BinaryWriter, number: number, kind: Kind, value: unknown): void {
  switch (kind) {
    case 'string':
      writer.tag(number, WireType.LengthDelimited).string(String(value))
      break
    case 'bytes':
      writer.tag(number, WireType.LengthDelimited).bytes(base64Decode(String(value)))
      break
    case 'id':
      writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(String(value), 'hex'))
      break
    case 'bool':
      writer.tag(number, WireType.Varint).bool(Boolean(value))
      break
    case 'int64':
      writer.tag(number, WireType.Varint).int64(value as string | number)
      break
    case 'uint32':
      writer.tag(number, WireType.Varint).uint32(Number(value))
      break
    case 'double':
      writer.tag(number, WireType.Bit64).double(Number(value))
      break
    case 'fixed64':
      writer.tag(number, WireType.Bit64).fixed64(value as string | number)
      break
  }
}
