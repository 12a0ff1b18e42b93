import {
  type ChangeSet,
  type Check,
  type Collection,
  type Key,
  keyOf,
  type Put,
  type RangeRemoval,
  type Value,
  type Versioned,
} from '@countersign/core/ports'
import { rowCodec } from './rows.ts'

/** One write as plain values, in the order in which its statement binds them. */
export interface EncodedWrite {
  readonly in: string
  readonly kind: 'insert' | 'update' | 'remove'
  readonly key: Key
  /** The version that it replaces; 0 for an insert. */
  readonly version: number
  /** What an update sets. */
  readonly columns: readonly string[]
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

export interface Encoder {
  put(tenant: string | null, put: Put): EncodedWrite
  remove(tenant: string | null, key: Key, version: number): EncodedWrite
}

/**
 * The column that a tenant's write is checked against, if any: a row that is put has been found to be the tenant's
 * own where the tenant is part of the key.
 */
export function guardOf({ tenant, key }: Collection, kind: EncodedWrite['kind']): string | null {
  if (tenant === 'system') return null
  return kind === 'remove' || !key.includes(tenant) ? tenant : null
}

type Row = Readonly<Record<string, unknown>>

export function createEncoder(collection: Collection): Encoder {
  const { name, bytes } = collection
  const codec = rowCodec(collection)
  const columns = Object.keys(collection.columns)
  const ofRules = [
    ...new Set(
      Object.values(collection.unique ?? {}).flatMap(({ on, when }) =>
        when ? [...on, when.column] : on,
      ),
    ),
  ]

  function matched(
    kind: EncodedWrite['kind'],
    tenant: string | null,
    key: Key,
    version: number,
  ): readonly unknown[] {
    return tenant !== null && guardOf(collection, kind)
      ? [...key, version, tenant]
      : [...key, version]
  }

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

  function update(tenant: string | null, put: Put, was: Versioned, row: Row): EncodedWrite {
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
    const { version } = was
    const key = keyOf(collection, row)
    values.push(put.leasedBy ?? null, ...matched('update', tenant, key, version))
    const unique = uniqueOf(row)
    return { in: name, kind: 'update', key, version, columns: changed, values, unique }
  }

  return {
    put(tenant, put) {
      const row = put.row as Row
      return put.was ? update(tenant, put, put.was, row) : insert(put, row)
    },
    remove: (tenant, key, version) => ({
      in: name,
      kind: 'remove',
      key,
      version,
      columns: [],
      values: matched('remove', tenant, key, version),
      unique: null,
    }),
  }
}

/** Encodes at once, so that what the caller does to its rows afterwards changes nothing. */
export function encodeSet(encoderOf: (name: string) => Encoder, set: ChangeSet): EncodedSet {
  const { tenant } = set
  const removes = (set.removes ?? []).map((remove) =>
    encoderOf(remove.in).remove(tenant, remove.key, remove.version),
  )
  const puts = (set.puts ?? []).map((put) => encoderOf(put.in).put(tenant, put))
  return {
    tenant,
    checks: set.checks ?? [],
    writes: removes.length > 0 ? [...removes, ...puts] : puts,
    ranges: set.ranges ?? [],
    adds: set.adds ?? [],
    appends: set.appends ?? [],
  }
}
