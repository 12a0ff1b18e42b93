import type {
  ChangeSet,
  Check,
  Collection,
  Key,
  Put,
  RangeRemoval,
  Value,
  Versioned,
} from '../ports/store.ts'
import { keyOf } from './key-of.ts'
import type { RowCodec } from './row-codec.ts'

/** One write as plain values. */
export interface EncodedWrite {
  readonly in: string
  readonly kind: 'insert' | 'update' | 'remove'
  readonly key: Key
  /** The version that it replaces; 0 for an insert. */
  readonly version: number
  /** Columns that an update sets. */
  readonly columns: readonly string[]
  /** In the binding order of its statement, ahead of its conditions. */
  readonly values: readonly unknown[]
  /** The columns of unique rules, for finding the row in the way; null where none can be. */
  readonly unique: Readonly<Record<string, Value>> | null
}

/** A change set whose form was checked, as plain values alone: another thread can be given it. */
export interface EncodedSet {
  readonly tenant: string | null
  readonly checks: readonly Check[]
  /** Removes first, then puts as listed. */
  readonly writes: readonly EncodedWrite[]
  readonly ranges: readonly RangeRemoval[]
  readonly adds: NonNullable<ChangeSet['adds']>
  readonly appends: NonNullable<ChangeSet['appends']>
}

/** Encodes the writes of one collection. */
export interface Encoder {
  put(put: Put): EncodedWrite
  remove(key: Key, version: number): EncodedWrite
}

type Row = Readonly<Record<string, unknown>>

/** The encoder of a collection; an update sets only the columns that differ from the row as it was read. */
export function createEncoder(collection: Collection, codec: RowCodec): Encoder {
  const { name, bytes } = collection
  const columns = Object.keys(collection.columns)
  const ofRules = [
    ...new Set(
      Object.values(collection.unique ?? {}).flatMap(({ on, when }) =>
        when ? [...on, when.column] : on,
      ),
    ),
  ]

  function uniqueOf(row: Row): EncodedWrite['unique'] {
    if (ofRules.length === 0) return null
    return Object.fromEntries(ofRules.map((column) => [column, row[column] as Value]))
  }

  function insert(put: Put, row: Row): EncodedWrite {
    const values: unknown[] = codec.values(row)
    values.push(put.leasedBy ?? null, codec.body(row))
    if (bytes) values.push(row[bytes] ?? null)
    const key = keyOf(collection, row)
    const unique = uniqueOf(row)
    return { in: name, kind: 'insert', key, version: 0, columns: [], values, unique }
  }

  function update(put: Put, was: Versioned, row: Row): EncodedWrite {
    const before = was.row as Row
    const changed: string[] = columns.filter((column) => row[column] !== before[column])
    const values: unknown[] = changed.map((column) => row[column])
    if (codec.bodyChanged(before, row)) {
      changed.push('_body')
      values.push(codec.body(row))
    }
    if (bytes && row[bytes] !== before[bytes]) {
      changed.push(bytes)
      values.push(row[bytes] ?? null)
    }
    values.push(put.leasedBy ?? null)
    const { version } = was
    const key = keyOf(collection, row)
    const unique = uniqueOf(row)
    return { in: name, kind: 'update', key, version, columns: changed, values, unique }
  }

  return {
    put(put) {
      const row = put.row as Row
      return put.was ? update(put, put.was, row) : insert(put, row)
    },
    remove: (key, version) => ({
      in: name,
      kind: 'remove',
      key,
      version,
      columns: [],
      values: [],
      unique: null,
    }),
  }
}

/** Encodes a set immediately: later changes of the caller's rows have no effect on it. */
export function encodeSet(encoderOf: (name: string) => Encoder, set: ChangeSet): EncodedSet {
  const removes = (set.removes ?? []).map((remove) =>
    encoderOf(remove.in).remove(remove.key, remove.version),
  )
  const puts = (set.puts ?? []).map((put) => encoderOf(put.in).put(put))
  return {
    tenant: set.tenant,
    checks: set.checks ?? [],
    writes: removes.length > 0 ? [...removes, ...puts] : puts,
    ranges: set.ranges ?? [],
    adds: set.adds ?? [],
    appends: set.appends ?? [],
  }
}
