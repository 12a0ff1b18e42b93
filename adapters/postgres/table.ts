import type { Collection, Key, Versioned } from '@countersign/core/ports'
import { type RowCodec, rowCodec } from '@countersign/core/store-kit'
import { bodyEncoding } from './body-encoding.ts'
import { equals, type Layout, layoutOf, list, quote } from './layout.ts'

/** Statement of a collection that writes or looks at many rows, each given as one element of its arrays. */
export interface Table {
  readonly layout: Layout
  readonly collection: Collection
  readonly codec: RowCodec
  /** Columns of the table as they are selected whole. */
  readonly selected: string
  /** Rows by key: the place of each key in the arrays, then the row. Keys alone, or with the tenant that reads. */
  readonly get: string
  /** Versions and tenants by key: the place of each key, then both; `lock` as the clause of the select. */
  holders(lock: '' | 'for update of t' | 'for share of t'): string
  readonly checks: string
  /** Rows of version 0 in the way of inserters, until the transaction ends; removed by `freeAbsences`. */
  readonly absences: string
  /** The same where rows may be there already. */
  readonly anyAbsences: string
  readonly freeAbsences: string
  readonly removes: string
  update(columns: readonly string[]): string
  readonly inserts: string
  /** Rules as they are looked up before a put: the key and tenant of the row that has the values. */
  readonly rules: readonly Rule[]
  /** Columns of the rules. */
  readonly ruled: ReadonlySet<string>
  /** The types of arrays that hold keys. */
  readonly keyTypes: readonly string[]
  read(values: readonly unknown[]): Versioned
}

export interface Rule {
  readonly name: string
  readonly on: readonly string[]
  readonly when: NonNullable<Collection['unique']>[string]['when']
  /** Binds the values, then the key of the row that is put. */
  readonly sql: string
}

/** `unnest` of arrays as rows `k` with the given names of columns. */
export function unnest(types: readonly string[], names: readonly string[], from = 1): string {
  const arrays = types.map((type, at) => `$${from + at}::${type}[]`).join(', ')
  return `unnest(${arrays}) as k(${names.join(', ')})`
}

/** Fails the transaction by a division by zero unless the statement met each row that it was given. */
const guarded = (statement: string, count: number): string =>
  `with w as (${statement}) select 1/(count(*) = $${count}::int)::int from w`

const numbered = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at}`)

export function openTable(collection: Collection): Table {
  const layout = layoutOf(collection)
  const { table, types, columns } = layout
  const { key, tenant } = collection
  const codec = rowCodec(collection, bodyEncoding)
  const typeOf = (column: string): string => types.get(column) ?? 'text'
  const keyTypes = key.map(typeOf)
  const keys = numbered('k', key.length)
  const byKey = key.map((column, at) => `t.${quote(column)} = k.k${at}`).join(' and ')
  const owner = tenant === 'system' ? 'null' : `t.${quote(tenant)}`
  const owned = tenant === 'system' ? '' : ` and (k.o is null or t.${quote(tenant)} = k.o)`

  // Arrays: the key's columns, versions, tenants that must own the rows; then how many rows there are.
  const seenTypes = [...keyTypes, 'bigint', 'text']
  const seenNames = [...keys, 'v', 'o']
  const seenCount = seenTypes.length + 1
  const met = `${byKey} and t._version = k.v${owned}`
  const absent = `insert into ${table} (${list(key)}, _version) select ${keys.join(', ')}, 0 from ${unnest(keyTypes, keys)} on conflict (${list(key)}) do nothing`
  const inserted = [...columns.filter((column) => column !== '_version')]

  return {
    layout,
    collection,
    codec,
    selected: list(columns, 't.'),
    keyTypes,
    get: `select k.n, ${list(columns, 't.')} from ${unnest([...keyTypes, 'text', 'int'], [...keys, 'o', 'n'])} join ${table} t on ${byKey}${owned}`,
    holders: (lock) =>
      `select k.n, t._version, ${owner} from ${unnest([...keyTypes, 'int'], [...keys, 'n'])} join ${table} t on ${byKey} ${lock}`,
    checks: guarded(
      `select 1 from ${unnest(seenTypes, seenNames)} join ${table} t on ${met} for share of t`,
      seenCount,
    ),
    absences: guarded(`${absent} returning 1`, keyTypes.length + 1),
    anyAbsences: absent,
    freeAbsences: `delete from ${table} t using ${unnest(keyTypes, keys)} where ${byKey} and t._version = 0`,
    removes: guarded(
      `delete from ${table} t using ${unnest(seenTypes, seenNames)} where ${met} returning 1`,
      seenCount,
    ),
    update(changed) {
      const values = numbered('c', changed.length)
      const set = changed.map((column, at) => `${quote(column)} = k.c${at}, `).join('')
      return guarded(
        `update ${table} t set ${set}_version = t._version + 1 from ${unnest([...seenTypes, ...changed.map(typeOf)], [...seenNames, ...values])} where ${met} returning 1`,
        seenCount + changed.length,
      )
    },
    inserts: `insert into ${table} (${list(inserted)}, _version) select k.*, 1 from ${unnest(inserted.map(typeOf), numbered('c', inserted.length))}`,
    rules: Object.entries(collection.unique ?? {}).map(([name, { on, when }]) => {
      const equal = on.map((column, at) => `t.${quote(column)} = $${at + 1}`).join(' and ')
      const condition = when ? ` and t.${equals(when.column, when.is)}` : ''
      const other = key.map((_, at) => `$${on.length + at + 1}`).join(', ')
      return {
        name,
        on,
        when,
        sql: `select ${owner}, ${list(key, 't.')} from ${table} t where ${equal}${condition} and (${list(key, 't.')}) <> (${other})`,
      }
    }),
    ruled: new Set(
      Object.values(collection.unique ?? {}).flatMap(({ on, when }) =>
        when ? [...on, when.column] : on,
      ),
    ),
    read: (values) => codec.read(values),
  }
}

/** Compares keys of one collection; all writers lock rows in this order. */
export function compareKeys(a: Key, b: Key): number {
  for (let at = 0; at < a.length; at++) {
    const [one, two] = [a[at], b[at]]
    if (one === two || one == null || two == null) continue
    return one < two ? -1 : 1
  }
  return 0
}

/** Rows as one array for each of their columns. */
export function transpose(rows: readonly (readonly unknown[])[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, at) => rows.map((row) => row[at]))
}
