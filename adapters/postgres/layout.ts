import { createHash } from 'node:crypto'
import type { Collection, Value } from '@countersign/core/ports'

export type ColumnType = 'text' | 'bigint' | 'bytea'

/** A collection as a table: names, types and the statements that make it. Names are quoted where they are SQL. */
export interface Layout {
  readonly collection: Collection
  readonly table: string
  /** Declared columns, then `_version`, `_leasedBy`, `_body` and the bytes: the order of every row read whole. */
  readonly columns: readonly string[]
  readonly types: ReadonlyMap<string, ColumnType>
  readonly create: string
  /** Statements by name of the index. */
  readonly indexes: ReadonlyMap<string, string>
}

// Names are checked to be letters and digits where collections are declared; quotes keep SQL's own words apart.
export const quote = (name: string): string => `"${name}"`
export const list = (names: readonly string[], of = ''): string =>
  names.map((name) => of + quote(name)).join(', ')
export const literal = (value: Value): string =>
  typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`

/** A condition as a unique rule or a list states it. */
export const equals = (column: string, value: Value): string =>
  value === null ? `${quote(column)} is null` : `${quote(column)} = ${literal(value)}`

/** The columns of an order: those of the index, then of the key as far as they are not among them. */
export function orderOf(collection: Collection, by: string): readonly string[] {
  const on = by === 'key' ? [] : (collection.indexes[by] ?? [])
  return [...new Set([...on, ...collection.key])]
}

/** PostgreSQL cuts a name behind 63 bytes. */
function short(name: string): string {
  if (name.length <= 63) return name
  return `${name.slice(0, 50)}_${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
}

function indexesOf(collection: Collection): ReadonlyMap<string, string> {
  const { name, queue } = collection
  const made = new Map<string, string>()
  const add = (index: string, on: string, more: { unique?: boolean; where?: string } = {}) =>
    made.set(
      short(index),
      `create ${more.unique ? 'unique ' : ''}index ${quote(short(index))} on ${quote(name)} (${on})${more.where ? ` where ${more.where}` : ''}`,
    )
  const ordered = (columns: readonly string[]) =>
    columns.map((column) => `${quote(column)} nulls first`).join(', ')
  for (const by of Object.keys(collection.indexes))
    add(`${name}_${by}`, ordered(orderOf(collection, by)))
  for (const [rule, { on, when }] of Object.entries(collection.unique ?? {}))
    add(`${name}_unique_${rule}`, list(on), {
      unique: true,
      ...(when ? { where: equals(when.column, when.is) } : {}),
    })
  if (queue) {
    const where = `${quote(queue.due)} is not null`
    add(`${name}_queue_lane`, list([...new Set([queue.lane, queue.due, ...collection.key])]), {
      where,
    })
    add(`${name}_queue_due`, list([queue.due]), { where })
  }
  return made
}

export function layoutOf(collection: Collection): Layout {
  const { name, bytes, queue } = collection
  const types = new Map<string, ColumnType>(
    Object.entries(collection.columns).map(([column, type]) => [
      column,
      type === 'int' ? 'bigint' : 'text',
    ]),
  )
  types.set('_version', 'bigint').set('_leasedBy', 'text').set('_body', 'bytea')
  if (bytes) types.set(bytes, 'bytea')
  const required = new Set([...collection.key, '_version'])
  const parts = [...types].map(
    ([column, type]) =>
      `${quote(column)} ${typeText(type)}${required.has(column) ? ' not null' : ''}`,
  )
  // Dead rows of a queue slow every claim: they are removed by their number, whatever the table's size.
  const options = queue
    ? ' with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_cost_delay = 0)'
    : ''
  return {
    collection,
    table: quote(name),
    columns: [...types.keys()],
    types,
    create: `create table ${quote(name)} (${parts.join(', ')}, primary key (${list(collection.key)}))${options}`,
    indexes: indexesOf(collection),
  }
}

export const typeText = (type: ColumnType): string => (type === 'text' ? 'text collate "C"' : type)
