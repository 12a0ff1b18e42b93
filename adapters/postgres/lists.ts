import type { Collection, Key, RangeRemoval, Read, Where } from '@countersign/core/ports'
import type { Connection } from './connection.ts'
import { equals, list, orderOf, quote } from './layout.ts'
import type { Statement } from './statement.ts'
import type { Table } from './table.ts'

type List = Extract<Read, { readonly list: string }>

/** A value that a unique rule's condition names is written into the text: only then does its partial index fit. */
function isOfRule(collection: Collection, [column, is, value]: Where[number]): boolean {
  return Object.values(collection.unique ?? {}).some(
    ({ when }) => is === '=' && when?.column === column && when.is === value,
  )
}

/** `where …`, or '' for no condition; its values are bound from $1. */
function conditions(
  collection: Collection,
  where: Where,
  tenant: string | null,
): { readonly sql: string; readonly parts: readonly string[]; readonly values: unknown[] } {
  const parts: string[] = []
  const values: unknown[] = []
  for (const condition of where) {
    const [column, is, value] = condition
    if (value === null || isOfRule(collection, condition)) parts.push(equals(column, value))
    else parts.push(`${quote(column)} ${is} $${values.push(value)}`)
  }
  if (tenant !== null && collection.tenant !== 'system')
    parts.push(`${quote(collection.tenant)} = $${values.push(tenant)}`)
  return { sql: parts.length ? `where ${parts.join(' and ')}` : '', parts, values }
}

/** Rows in the order of an index or of the keys, a page of them; then, if asked for, how many there are. */
export function listStatements(
  { collection, layout, selected }: Table,
  tenant: string | null,
  read: List,
): { readonly page: Statement | null; readonly count: Statement | null } {
  const { sql, values } = conditions(collection, read.where, tenant)
  // Columns of an index lie with nulls first, those of a key hold none.
  const [up, down] = read.by === 'key' ? ['', ' desc'] : [' nulls first', ' desc nulls last']
  const order = orderOf(collection, read.by)
    .map((column) => `t.${quote(column)}${read.newest ? down : up}`)
    .join(', ')
  const [take, skip] = [values.length + 1, values.length + 2]
  const page =
    read.take === 0
      ? null
      : {
          text: `select ${selected} from ${layout.table} t ${sql} order by ${order} limit $${take} offset $${skip}`,
          values: [...values, read.take, read.skip],
        }
  const count =
    read.count === false
      ? null
      : read.count === true
        ? { text: `select count(*) from ${layout.table} ${sql}`, values }
        : {
            text: `select count(*) from (select 1 from ${layout.table} ${sql} limit $${take}) counted`,
            values: [...values, read.count],
          }
  return { page, count }
}

/** Removes a window of rows, and tells where the next begins. */
export async function removeRange(
  { run }: Connection,
  { collection, layout }: Table,
  tenant: string | null,
  range: RangeRemoval,
): Promise<{ readonly removed: number; readonly next: Key | null }> {
  const { parts, values } = conditions(collection, range.where, tenant)
  const keys = list(collection.key)
  const behind = range.after
    ? [`(${keys}) > (${range.after.map((value) => `$${values.push(value)}`).join(', ')})`]
    : []
  const all = [...parts, ...behind]
  const where = all.length ? `where ${all.join(' and ')}` : ''
  const { rows } = await run(
    `with found as materialized (select ${keys} from ${layout.table} ${where} order by ${keys} limit $${values.push(range.window)}),
      gone as (delete from ${layout.table} t using found f where ${collection.key.map((column) => `t.${quote(column)} = f.${quote(column)}`).join(' and ')})
    select ${keys} from found order by ${keys}`,
    values,
  )
  const last = rows.at(-1)
  return {
    removed: rows.length,
    next: last && rows.length === range.window ? (last as unknown as Key) : null,
  }
}
