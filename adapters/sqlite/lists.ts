import type { Collection, Found, Key, RangeRemoval, Read, Where } from '@countersign/core/ports'
import { list, literal, marks, orderOf, quote } from './layout.ts'
import type { Statements } from './statements.ts'
import type { Table } from './table.ts'

type List = Extract<Read, { readonly list: string }>

interface Condition {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** A value that a unique rule's condition names is written into the text, or SQLite would not see that the rule's index fits. */
function isOfRule(collection: Collection, [column, is, value]: Where[number]): boolean {
  return Object.values(collection.unique ?? {}).some(
    ({ when }) => is === '=' && when?.column === column && when.is === value,
  )
}

function conditions(collection: Collection, where: Where, tenant: string | null): Condition {
  const parts: string[] = []
  const values: unknown[] = []
  for (const condition of where) {
    const [column, is, value] = condition
    if (value === null) parts.push(`${quote(column)} IS NULL`)
    else if (isOfRule(collection, condition)) parts.push(`${quote(column)} = ${literal(value)}`)
    else {
      parts.push(`${quote(column)} ${is} ?`)
      values.push(value)
    }
  }
  if (tenant !== null && collection.tenant !== 'system') {
    parts.push(`${quote(collection.tenant)} = ?`)
    values.push(tenant)
  }
  return { sql: parts.length ? `WHERE ${parts.join(' AND ')}` : '', values }
}

/**
 * The index that a read names, where some conditions are not equality of its leading columns: without being told SQLite
 * might choose another one, of which it would walk more. Null where the choice is left to it.
 */
function namedIndex(collection: Collection, read: List): NamedIndex | null {
  const { by, where } = read
  if (by === 'key' || isOneRow(collection, where)) return null
  const left = new Map(where.map(([column, is]) => [column, is]))
  let seeksRange = false
  for (const column of orderOf(collection, by)) {
    const is = left.get(column)
    left.delete(column)
    if (is === '=') continue
    seeksRange = is !== undefined
    break
  }
  left.delete(collection.tenant)
  if (left.size === 0 && !seeksRange) return null
  const held = new Set(orderOf(collection, by))
  return {
    name: `${collection.name}_${by}`,
    holdsRest: left.size > 0 && [...left.keys()].every((column) => held.has(column)),
  }
}

interface NamedIndex {
  readonly name: string
  /** Some conditions are tried in the index, and no row is read that does not fit. */
  readonly holdsRest: boolean
}

/** Whether the conditions find at most one row, by the index of a unique rule. */
function isOneRow({ unique = {} }: Collection, where: Where): boolean {
  const equal = new Map(where.filter(([, is]) => is === '=').map(([column, , is]) => [column, is]))
  return Object.values(unique).some(
    ({ on, when }) =>
      on.every((column) => equal.has(column)) &&
      (when === undefined || equal.get(when.column) === when.is),
  )
}

/** Rows that may be skipped as they are; of more the keys alone are, which an index holds. */
const skippedWhole = 64

/** Rows in the order of an index or of the keys, a page of them and how many there are. */
export function listRows(
  statements: Statements,
  table: Table,
  tenant: string | null,
  read: List,
): Found {
  const { collection, layout } = table
  const { sql, values } = conditions(collection, read.where, tenant)
  const order = orderOf(collection, read.by)
    .map((column) => (read.newest ? `${quote(column)} DESC` : quote(column)))
    .join(', ')
  const keys = list(layout.key)
  const index = namedIndex(collection, read)
  const from = index === null ? layout.table : `${layout.table} INDEXED BY ${quote(index.name)}`
  const rows =
    read.take === 0
      ? []
      : read.skip <= skippedWhole && index?.holdsRest !== true
        ? statements
            .of(
              `SELECT ${layout.selected} FROM ${from} ${sql} ORDER BY ${order} LIMIT ? + 0 OFFSET ?`,
            )
            .all([...values, read.take, read.skip])
        : statements
            .of(
              `SELECT ${layout.selected} FROM ${layout.table} WHERE (${keys}) IN (SELECT ${keys} FROM ${from} ${sql} ORDER BY ${order} LIMIT ? + 0 OFFSET ?) ORDER BY ${order}`,
            )
            .all([...values, read.take, read.skip])
  const found = rows.map(table.read)
  if (read.count === false) return { rows: found, total: null }
  const counted =
    read.count === true
      ? statements.of(`SELECT count(*) FROM ${from} ${sql}`).get(values)
      : statements
          .of(`SELECT count(*) FROM (SELECT 1 FROM ${from} ${sql} LIMIT ? + 0)`)
          .get([...values, read.count])
  const [total] = counted as [number]
  return { rows: found, total }
}

/** Removes a window of rows, and tells where the next begins. */
export function removeRange(
  statements: Statements,
  table: Table,
  tenant: string | null,
  range: RangeRemoval,
): { readonly removed: number; readonly next: Key | null } {
  const { collection, layout } = table
  const { sql, values } = conditions(collection, range.where, tenant)
  const keys = list(layout.key)
  const behind = range.after ? `(${keys}) > (${marks(layout.key.length)})` : ''
  const where = [sql.replace(/^WHERE /, ''), behind].filter(Boolean).join(' AND ')
  const found = statements
    .of(
      `SELECT ${keys} FROM ${layout.table} ${where ? `WHERE ${where}` : ''} ORDER BY ${keys} LIMIT ? + 0`,
    )
    .all([...values, ...(range.after ?? []), range.window]) as unknown as Key[]
  const remove = statements.of(
    `DELETE FROM ${layout.table} WHERE ${layout.key.map((column) => `${quote(column)} = ?`).join(' AND ')}`,
  )
  for (const key of found) {
    table.forget(key)
    remove.run(key)
  }
  const next = found.length === range.window ? (found.at(-1) ?? null) : null
  return { removed: found.length, next }
}
