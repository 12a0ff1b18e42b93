import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { OutOf } from '@countersign/core/kernel'
import type { FieldError } from '@countersign/core/ledger'
import type { exportShape } from '@countersign/core/operations'
import type { Context } from 'koa'

// What OTLP/HTTP answers in its binary encoding: an answer comes in the encoding of its request.

/** The media type of OTLP/HTTP in protobuf. */
export const protobufType = 'application/x-protobuf'

/** Whether a request came in protobuf. */
export function isProtobuf({ request }: Pick<Context, 'request'>): boolean {
  return request.type.toLowerCase() === protobufType
}

/** ExportTraceServiceResponse; no bytes where every span was taken. */
export function encodedAnswer({ partialSuccess }: OutOf<typeof exportShape>): Uint8Array {
  const writer = new BinaryWriter()
  if (!partialSuccess) return writer.finish()
  const { rejectedSpans, errorMessage } = partialSuccess
  const inner = new BinaryWriter()
  inner.tag(1, WireType.Varint).int64(rejectedSpans)
  inner.tag(2, WireType.LengthDelimited).string(errorMessage)
  return writer.tag(1, WireType.LengthDelimited).bytes(inner.finish()).finish()
}

/** What a google.rpc.Status tells of a refusal. */
export interface RpcStatus {
  /** Of google.rpc.Code. */
  readonly code: number
  readonly message: string
  /** The service's own code. */
  readonly reason: string
  readonly errors: readonly FieldError[]
}

/** google.rpc.Status; its details are an ErrorInfo with the service's code, and a BadRequest where errors have pointers. */
export function encodedStatus({ code, message, reason, errors }: RpcStatus): Uint8Array {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.Varint).int32(code)
  writer.tag(2, WireType.LengthDelimited).string(message)
  const info = messageOf([reason.toUpperCase(), 'countersign'])
  writer.tag(3, WireType.LengthDelimited).bytes(anyOf('ErrorInfo', info))
  const violations = new BinaryWriter()
  const located = errors.filter(({ pointer }) => pointer)
  for (const { pointer, detail } of located)
    violations.tag(1, WireType.LengthDelimited).bytes(messageOf([pointer ?? '', detail]))
  if (located.length > 0)
    writer.tag(3, WireType.LengthDelimited).bytes(anyOf('BadRequest', violations.finish()))
  return writer.finish()
}

/** google.protobuf.Any of one of google.rpc's error details. */
function anyOf(name: string, value: Uint8Array): Uint8Array {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.LengthDelimited).string(`type.googleapis.com/google.rpc.${name}`)
  return writer.tag(2, WireType.LengthDelimited).bytes(value).finish()
}

/** A message whose fields, from 1 on, are these texts. */
function messageOf(texts: readonly string[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [at, text] of texts.entries())
    writer.tag(at + 1, WireType.LengthDelimited).string(text)
  return writer.finish()
}
