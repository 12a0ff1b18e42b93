import type { Readable } from 'node:stream'
import type * as z from 'zod'
import type { AnswerHeader } from './answer-headers.ts'
import { refuseIssues } from './errors.ts'
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
  /** Of the decoded body; null where no schema describes it. */
  readonly schema: z.ZodType | null
  /** What the bytes hold; null where no body was sent. */
  readonly decode: (bytes: Uint8Array | null) => HostResult<unknown>
  readonly check: (decoded: unknown) => HostResult<B>
}

/** A body that an operation answers with. */
export interface Produced<S extends z.ZodType> {
  /** Media types of which the caller's Accept must take one, else 406; the first is sent unless the handler says. */
  readonly types: readonly string[]
  readonly schema: S
  /** Of a success; 200 unless given. */
  readonly status?: 202
  /** Headers of a success, beside those that the host sends with every answer. */
  readonly headers?: readonly AnswerHeader[]
}

export const jsonType = 'application/json'

/** A request body in JSON; one that is absent is `{}`. */
export function jsonBody<S extends z.ZodType>(
  schema: S,
  limit: number = standardBody,
): Consumed<z.output<S>> {
  return {
    types: [jsonType],
    limit,
    schema,
    decode: (bytes) => (bytes ? parseJson(bytes) : { ok: true, value: {} }),
    check(decoded) {
      const parsed = schema.safeParse(decoded)
      return parsed.success
        ? { ok: true, value: parsed.data }
        : refuseIssues(parsed.error.issues, 'body', decoded)
    },
  }
}

/** A large request body in JSON, plain or in gzip, whose bytes the core reads and checks in slices. */
export function slicedJson(schema: z.ZodType | null, limit: number): Consumed<Uint8Array> {
  return {
    types: [jsonType],
    limit,
    encodings: ['gzip'],
    schema,
    decode: (bytes) => ({ ok: true, value: bytes ?? new Uint8Array() }),
    check: (bytes) => ({ ok: true, value: bytes as Uint8Array }),
  }
}

/** For operations without a body; what is sent all the same stays unread. */
export const noBody: Consumed<null> = {
  types: [],
  limit: 0,
  schema: null,
  decode: () => ({ ok: true, value: null }),
  check: () => ({ ok: true, value: null }),
}

/** An answer in JSON. Nothing is checked while answering; tests check every answer against the schema. */
export function json<S extends z.ZodType>(
  schema: S,
  ...headers: readonly AnswerHeader[]
): Produced<S> {
  return { types: [jsonType], schema, headers }
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

/** As the views of the core are written. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends Uint8Array
    ? T
    : T extends object
      ? { readonly [Member in keyof T]: DeepReadonly<T[Member]> }
      : T

/** What a handler must answer with, by the row's schema. */
export type AnswerOf<S extends z.ZodType> = DeepReadonly<z.output<S>>
