type Scalar = 'string' | 'bool' | 'int64' | 'double' | 'id' | 'uint32' | 'fixed64'

/** Fields of each message by their names in JSON, numbered as trace.proto, common.proto and resource.proto do. */
const messages = {
  Export: { resourceSpans: [1, 'ResourceSpans'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans'] },
  Resource: { attributes: [1, 'KeyValue'] },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, 'Span'] },
  Scope: { name: [1, 'string'], version: [2, 'string'] },
  Span: {
    traceId: [1, 'id'],
    spanId: [2, 'id'],
    parentSpanId: [4, 'id'],
    name: [5, 'string'],
    kind: [6, 'uint32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue'],
    droppedAttributesCount: [10, 'uint32'],
    status: [15, 'Status'],
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
  },
  ArrayValue: { values: [1, 'AnyValue'] },
  KeyValueList: { values: [1, 'KeyValue'] },
} as const

type MessageName = keyof typeof messages

/** An export in protobuf, of the one that is given in OTLP's JSON. Throws for a member that the table lacks. */
export function protobufOf(message: object, as: MessageName = 'Export'): Buffer {
  const fields: Readonly<Record<string, readonly [number, string]>> = messages[as]
  const parts: Buffer[] = []
  for (const [name, value] of Object.entries(message)) {
    const field = fields[name]
    if (!field) throw new Error(`${as} has no field ${name}`)
    const [number, kind] = field
    if (kind in messages)
      for (const each of Array.isArray(value) ? value : [value])
        parts.push(...sized(number, protobufOf(each, kind as MessageName)))
    else parts.push(...scalar(number, kind as Scalar, value))
  }
  return Buffer.concat(parts)
}

/** Wire types: https://protobuf.dev/programming-guides/encoding/ */
const wire = { varint: 0, bits64: 1, sized: 2 } as const

function scalar(number: number, kind: Scalar, value: unknown): readonly Buffer[] {
  switch (kind) {
    case 'string':
      return sized(number, Buffer.from(String(value)))
    case 'id':
      return sized(number, Buffer.from(String(value), 'hex'))
    case 'bool':
      return [tag(number, wire.varint), varint(value ? 1n : 0n)]
    case 'uint32':
    case 'int64':
      return [
        tag(number, wire.varint),
        varint(BigInt.asUintN(64, BigInt(value as string | number))),
      ]
    case 'fixed64':
    case 'double': {
      const bytes = Buffer.alloc(8)
      if (kind === 'double') bytes.writeDoubleLE(Number(value))
      else bytes.writeBigUInt64LE(BigInt(value as string | number))
      return [tag(number, wire.bits64), bytes]
    }
  }
}

function sized(number: number, bytes: Buffer): readonly Buffer[] {
  return [tag(number, wire.sized), varint(BigInt(bytes.length)), bytes]
}

function tag(number: number, type: number): Buffer {
  return varint(BigInt(number * 8 + type))
}

/** Seven bits a byte, the lowest first; the top bit says that more follow. */
function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}
