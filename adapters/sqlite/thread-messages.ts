import {
  type Collection,
  type CommitOutcome,
  type Log,
  type Store,
  StoreError,
  type StoreErrorCode,
} from '@countersign/core/ports'
import type { EncodedSet, EncodedWrite } from '@countersign/core/store-kit'
import { Packr } from 'msgpackr'
import type { FileIdentity } from './store-files.ts'

/** What the thread that writes needs to know when it starts. */
export interface WriterSettings {
  readonly file: string
  /** Of the file that the store has open, so that a thread that starts later writes to no other. */
  readonly identity: FileIdentity | null
  readonly busyTimeoutMs: number | undefined
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
  readonly most: number
}

export type Job =
  /** `parts`: writes of a large set, packed ahead of it; behind those that it has. */
  | { readonly kind: 'commit'; readonly set: EncodedSet; readonly parts?: readonly Uint8Array[] }
  | { readonly kind: 'claim'; readonly query: Parameters<Store['claim']>[0] }
  | { readonly kind: 'probe' }
  | { readonly kind: 'scrub' }
  | { readonly kind: 'close' }

export type WriterAnswer = CommitOutcome | readonly unknown[][] | number | null

export interface Asked {
  readonly id: number
  readonly job: Job
}

export type Told =
  | { readonly id: number; readonly answer: WriterAnswer }
  | { readonly id: number; readonly code: StoreErrorCode | null; readonly message: string }

/** Shapes that both sides know from the start, by the order of their members: no message names those anew. */
const shapes = [
  ['id', 'job'],
  ['kind', 'set'],
  ['tenant', 'checks', 'writes', 'ranges', 'adds', 'appends'],
  ['in', 'kind', 'key', 'version', 'columns', 'values', 'unique'],
  ['in', 'key', 'version'],
  ['id', 'answer'],
  ['committed', 'ranges'],
]

// MessagePack in one buffer that changes hands costs less than half of a structured clone of the same values.
const packr = new Packr({
  structures: shapes,
  maxSharedStructures: shapes.length,
  bundleStrings: true,
})

/** A batch as bytes of its own, to be transferred. */
export function packBatch(batch: readonly Asked[] | readonly Told[]): Uint8Array {
  return new Uint8Array(packr.pack(batch))
}

export function unpackBatch<T extends Asked | Told>(bytes: Uint8Array): readonly T[] {
  return packr.unpack(bytes)
}

export function packWrites(writes: readonly EncodedWrite[]): Uint8Array {
  return new Uint8Array(packr.pack(writes))
}

/** The set of a job, whole. */
export function setOf({ set, parts = [] }: Extract<Job, { readonly kind: 'commit' }>): EncodedSet {
  if (parts.length === 0) return set
  const packed: EncodedWrite[] = parts.flatMap((part) => packr.unpack(part))
  return { ...set, writes: [...set.writes, ...packed] }
}

export function toldError(id: number, error: unknown): Told {
  const message = error instanceof Error ? error.message : String(error)
  return { id, code: error instanceof StoreError ? error.code : null, message }
}

export function errorOf({ code, message }: Extract<Told, { readonly message: string }>): Error {
  return code === null ? new Error(message) : new StoreError(code, message)
}
