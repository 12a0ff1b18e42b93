import type { Collection, Value } from '@countersign/core/ports'

/** A collection as a table: names, types and the statements that make it. */
export interface Layout {
  readonly collection: Collection
  /** Quoted, as all names here. */
  readonly table: string
  /** Declared columns, then `_version`, `_leasedBy`, `_body` and the bytes: the order of every row read whole. */
  readonly selected: string
  readonly columns: readonly string[]
  readonly key: readonly string[]
  readonly create: string
  /** By name; all are made anew when their text changes. */
  readonly indexes: ReadonlyMap<string, string>
  readonly types: ReadonlyMap<string, 'TEXT' | 'INTEGER' | 'BLOB'>
}

// Names are checked to be letters and digits where collections are declared; quotes keep SQL's own words apart.
export const quote = (name: string): string => `"${name}"`
export const list = (names: readonly string[]): string => names.map(quote).join(', ')
export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ')
export const literal = (value: Value): string =>
  value === null
    ? 'NULL'
    : typeof value === 'number'
      ? String(value)
      : `'${value.replaceAll("'", "''")}'`

/** The columns of an order: those of the index, then of the key as far as they are not among them. */
export function orderOf(collection: Collection, by: string): readonly string[] {
  const on = by === 'key' ? [] : (collection.indexes[by] ?? [])
  return [...new Set([...on, ...collection.key])]
}

export const queueIndex = (name: string): string => `${name}_queue_lane`
export const dueIndex = (name: string): string => `${name}_queue_due`

function indexesOf(collection: Collection): ReadonlyMap<string, string> {
  const { name, queue } = collection
  const table = quote(name)
  const made = new Map<string, string>()
  const add = (
    index: string,
    on: readonly string[],
    more: { unique?: string; where?: string } = {},
  ) =>
    made.set(
      index,
      `CREATE ${more.unique ?? ''}INDEX ${quote(index)} ON ${table} (${list(on)})${more.where ? ` WHERE ${more.where}` : ''}`,
    )
  for (const by of Object.keys(collection.indexes)) add(`${name}_${by}`, orderOf(collection, by))
  for (const [rule, { on, when }] of Object.entries(collection.unique ?? {}))
    add(`${name}_unique_${rule}`, on, {
      unique: 'UNIQUE ',
      ...(when ? { where: `${quote(when.column)} IS ${literal(when.is)}` } : {}),
    })
  if (queue) {
    const where = `${quote(queue.due)} IS NOT NULL`
    add(queueIndex(name), [...new Set([queue.lane, queue.due, ...collection.key])], { where })
    add(dueIndex(name), [queue.due], { where })
  }
  return made
}

/**
 * Rows lie in the order of their keys (WITHOUT ROWID), but for those with bytes: a clustered row keeps up to a
 * kilobyte within the tree, which then holds few rows a page, whereas a rowid table's tree stays small.
 */
export function layoutOf(collection: Collection): Layout {
  const { name, bytes } = collection
  const columns = Object.keys(collection.columns)
  const types = new Map<string, 'TEXT' | 'INTEGER' | 'BLOB'>(
    columns.map((column) => [column, collection.columns[column] === 'int' ? 'INTEGER' : 'TEXT']),
  )
  types.set('_version', 'INTEGER').set('_leasedBy', 'TEXT').set('_body', 'BLOB')
  if (bytes) types.set(bytes, 'BLOB')
  const required = new Set([...collection.key, '_version'])
  const parts = [...types].map(
    ([column, type]) => `${quote(column)} ${type}${required.has(column) ? ' NOT NULL' : ''}`,
  )
  return {
    collection,
    table: quote(name),
    selected: list([...types.keys()]),
    columns,
    key: collection.key,
    create: `CREATE TABLE ${quote(name)} (${parts.join(', ')}, PRIMARY KEY (${list(collection.key)})) STRICT${bytes ? '' : ', WITHOUT ROWID'}`,
    indexes: indexesOf(collection),
    types,
  }
}
