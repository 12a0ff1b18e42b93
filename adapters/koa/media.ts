import type { Readable } from 'node:stream'
import type { AnyShape, JsonSchema, OutOf } from '@countersign/core/kernel'
import type { AnswerHeader } from './answer-headers.ts'
import type { Input } from './input.ts'
import { parseJson } from './parse-json.ts'
import type { Encoding } from './read-body.ts'
import type { HostResult } from './refusal.ts'

/** Bodies above 1 MiB are refused by every route that does not name another limit. */
export const standardBody = 1024 * 1024
/** For routes whose largest right body is a few hundred bytes, and for callers that are not known yet. */
export const smallBody = 16 * 1024

/** A body that an operation reads. */
export interface Consumed<B> {
  /** Media types; none where the operation reads no body. Any other is 415. */
  readonly types: readonly string[]
  /** Bytes that are read at most; a larger body is 413. */
  readonly limit: number
  /** Of Content-Encoding, beside none; the limit counts what is decoded. None unless given; any other is 415. */
  readonly encodings?: readonly Encoding[]
  /** The decoded body as it is described; null where nothing describes it. */
  readonly input: Input<unknown> | null
  /** What the bytes hold; null where no body was sent. */
  readonly decode: (bytes: Uint8Array | null) => HostResult<unknown>
  readonly check: (decoded: unknown) => HostResult<B>
}

declare const answered: unique symbol

/** A body that an operation answers with. */
export interface Produced<T> {
  /** Media types of which the caller's Accept must take one, else 406; the first is sent unless the handler says. */
  readonly types: readonly string[]
  readonly schema: JsonSchema
  /** Of a success; 200 unless given. */
  readonly status?: 202
  /** Headers of a success, beside those that the host sends with every answer. */
  readonly headers?: readonly AnswerHeader[]
  readonly [answered]?: T
}

export const jsonType = 'application/json'

/** A request body in JSON; one that is absent is `{}`. */
export function jsonBody<B>(input: Input<B>, limit: number = standardBody): Consumed<B> {
  return {
    types: [jsonType],
    limit,
    input,
    decode: (bytes) => (bytes ? parseJson(bytes) : { ok: true, value: {} }),
    check: input.read,
  }
}

/** A large request body in JSON, plain or in gzip, whose bytes the core reads and checks in slices. */
export function slicedJson(input: Input<unknown> | null, limit: number): Consumed<Uint8Array> {
  return {
    types: [jsonType],
    limit,
    encodings: ['gzip'],
    input,
    decode: (bytes) => ({ ok: true, value: bytes ?? new Uint8Array() }),
    check: (bytes) => ({ ok: true, value: bytes as Uint8Array }),
  }
}

/** For operations without a body; what is sent all the same stays unread. */
export const noBody: Consumed<null> = {
  types: [],
  limit: 0,
  input: null,
  decode: () => ({ ok: true, value: null }),
  check: () => ({ ok: true, value: null }),
}

/** An answer in JSON. Nothing is checked while answering; tests check every answer against its schema. */
export function json<S extends AnyShape>(
  shape: S,
  ...headers: readonly AnswerHeader[]
): Produced<OutOf<S>> {
  return { types: [jsonType], schema: shape.json.answer, headers }
}

declare const streamed: unique symbol
/** Bytes that are written as they are made, and are the form of a `T`. */
export type Streamed<T> = Readable & { readonly [streamed]?: T }

/** Bytes that are a `T`, in JSON or in the type that the reply's headers name. */
export type Encoded<T> = Uint8Array & { readonly [streamed]?: T }

/** A successful answer: its body, and headers beside the usual ones. */
export interface Reply<T = unknown> {
  readonly body: T | Streamed<T> | Encoded<T>
  readonly headers?: Readonly<Record<string, string>>
}
