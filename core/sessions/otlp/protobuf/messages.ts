import { type BinaryReader, base64Encode, WireType } from '@bufbuild/protobuf/wire'
import { bytesToHex } from '@noble/hashes/utils.js'

// The messages of opentelemetry-proto's trace/v1 (1.9), by the names that its JSON has. Fields that are not here, such as
// a resource's entities, are skipped as unknown ones are.

/** A field with a value of its own. */
export interface ScalarField {
  readonly name: string
  readonly wire: WireType
  /** Reads the value as OTLP's JSON has it. */
  readonly read: (reader: BinaryReader) => unknown
}

/** A field with a message, or with a list of them. */
export interface MessageField {
  readonly name: string
  readonly message: () => Message
  readonly repeated: boolean
}

/** Fields by their number. */
export type Message = readonly (ScalarField | MessageField | undefined)[]

type Scalar = Omit<ScalarField, 'name'>

const string: Scalar = { wire: WireType.LengthDelimited, read: (reader) => reader.string(true) }
const bool: Scalar = { wire: WireType.Varint, read: (reader) => reader.bool() }
const int64: Scalar = { wire: WireType.Varint, read: (reader) => String(reader.int64()) }
const uint32: Scalar = { wire: WireType.Varint, read: (reader) => reader.uint32() }
const enumeration: Scalar = { wire: WireType.Varint, read: (reader) => reader.int32() }
const fixed64: Scalar = { wire: WireType.Bit64, read: (reader) => String(reader.fixed64()) }
const bytes: Scalar = {
  wire: WireType.LengthDelimited,
  read: (reader) => base64Encode(reader.bytes()),
}
const double: Scalar = {
  wire: WireType.Bit64,
  read(reader) {
    const value = reader.double()
    return Number.isFinite(value) ? value : String(value)
  },
}
/** Of a trace or a span. */
const id: Scalar = {
  wire: WireType.LengthDelimited,
  // A longer one is no id, however it begins.
  read: (reader) => bytesToHex(reader.bytes().subarray(0, 17)),
}

type Form = Scalar | { readonly one: () => Message } | { readonly many: () => Message }

/** A message of these fields, each `[number, name, form]`. */
function messageOf(fields: readonly (readonly [number, string, Form])[]): Message {
  const byNumber: (ScalarField | MessageField | undefined)[] = []
  for (const [number, name, form] of fields) {
    if ('wire' in form) byNumber[number] = { name, ...form }
    else if ('one' in form) byNumber[number] = { name, message: form.one, repeated: false }
    else byNumber[number] = { name, message: form.many, repeated: true }
  }
  return byNumber
}

const one = (message: () => Message): Form => ({ one: message })
const many = (message: () => Message): Form => ({ many: message })

const anyValue: Message = messageOf([
  [1, 'stringValue', string],
  [2, 'boolValue', bool],
  [3, 'intValue', int64],
  [4, 'doubleValue', double],
  [5, 'arrayValue', one(() => arrayValue)],
  [6, 'kvlistValue', one(() => keyValueList)],
  [7, 'bytesValue', bytes],
])
const arrayValue: Message = messageOf([[1, 'values', many(() => anyValue)]])
const keyValueList: Message = messageOf([[1, 'values', many(() => keyValue)]])
const keyValue: Message = messageOf([
  [1, 'key', string],
  [2, 'value', one(() => anyValue)],
])
const attributes = many(() => keyValue)

const resource = messageOf([
  [1, 'attributes', attributes],
  [2, 'droppedAttributesCount', uint32],
])
const scope = messageOf([
  [1, 'name', string],
  [2, 'version', string],
  [3, 'attributes', attributes],
  [4, 'droppedAttributesCount', uint32],
])
const event = messageOf([
  [1, 'timeUnixNano', fixed64],
  [2, 'name', string],
  [3, 'attributes', attributes],
  [4, 'droppedAttributesCount', uint32],
])
const link = messageOf([
  [1, 'traceId', id],
  [2, 'spanId', id],
  [3, 'traceState', string],
  [4, 'attributes', attributes],
  [5, 'droppedAttributesCount', uint32],
])
const status = messageOf([
  [2, 'message', string],
  [3, 'code', enumeration],
])

export const span: Message = messageOf([
  [1, 'traceId', id],
  [2, 'spanId', id],
  [3, 'traceState', string],
  [4, 'parentSpanId', id],
  [5, 'name', string],
  [6, 'kind', enumeration],
  [7, 'startTimeUnixNano', fixed64],
  [8, 'endTimeUnixNano', fixed64],
  [9, 'attributes', attributes],
  [10, 'droppedAttributesCount', uint32],
  [11, 'events', many(() => event)],
  [12, 'droppedEventsCount', uint32],
  [13, 'links', many(() => link)],
  [14, 'droppedLinksCount', uint32],
  [15, 'status', one(() => status)],
])
export const scopeSpans: Message = messageOf([
  [1, 'scope', one(() => scope)],
  [2, 'spans', many(() => span)],
  [3, 'schemaUrl', string],
])
export const resourceSpans: Message = messageOf([
  [1, 'resource', one(() => resource)],
  [2, 'scopeSpans', many(() => scopeSpans)],
  [3, 'schemaUrl', string],
])
/** ExportTraceServiceRequest. */
export const collection: Message = messageOf([[1, 'resourceSpans', many(() => resourceSpans)]])
