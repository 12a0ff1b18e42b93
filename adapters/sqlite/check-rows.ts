import { bodyEncoding } from './body-encoding.ts'
import type { SqliteDatabase } from './driver.ts'
import { list, quote } from './layout.ts'

/** Rows that are told of each table; of more their number alone. */
const mostTold = 20

/**
 * Reads every row of a table and decodes its body; one sentence for each that is damaged, with the table and the key.
 * A body is also compared with what its members encode to, for a changed byte may leave something that can be read.
 */
export function checkRows(
  db: SqliteDatabase,
  table: string,
  key: readonly string[],
): readonly string[] {
  const problems: string[] = []
  let more = 0
  const tell = (problem: string) => {
    if (problems.length < mostTold) problems.push(problem)
    else more++
  }
  const columns = (
    db.prepare('SELECT name FROM pragma_table_info(?)').raw().all([table]) as [string][]
  ).map(([name]) => name)
  const missing = [...key, '_version', '_body'].filter((column) => !columns.includes(column))
  if (missing.length > 0)
    return [`table ${table}: its rows can not be read without column ${missing.join(', ')}`]
  const rest = columns.filter((column) => !['_version', '_body', ...key].includes(column))
  const select = `SELECT _version, _body, ${list([...key, ...rest])} FROM ${quote(table)} ORDER BY ${list(key)} LIMIT 500`
  const first = db.prepare(select).raw()
  const next = db
    .prepare(
      select.replace(
        ' ORDER BY',
        ` WHERE (${list(key)}) > (${key.map(() => '?').join(', ')}) ORDER BY`,
      ),
    )
    .raw()
  let after: readonly unknown[] | null = null
  for (;;) {
    const rows = (after === null ? first.all() : next.all(after)) as readonly (readonly unknown[])[]
    for (const [version, body, ...values] of rows) {
      const at = values.slice(0, key.length)
      const fault = faultOf(version, body) ?? values.map(valueFault).find((each) => each !== null)
      if (fault) tell(`table ${table}: row ${JSON.stringify(at)}: ${fault}`)
    }
    after = rows.at(-1)?.slice(2, 2 + key.length) ?? null
    if (after === null || rows.length < 500) break
  }
  return more === 0 ? problems : [...problems, `table ${table}: ${more} more damaged rows`]
}

function faultOf(version: unknown, body: unknown): string | null {
  if (!Number.isSafeInteger(version) || (version as number) < 1)
    return `its version is ${version}, expected an integer of at least 1`
  if (body === null) return null
  let members: Readonly<Record<string, unknown>>
  try {
    members = bodyEncoding.unpack(body as Uint8Array)
  } catch {
    return 'its body can not be decoded'
  }
  if (
    typeof members !== 'object' ||
    members === null ||
    Array.isArray(members) ||
    !isWritten(members)
  )
    return 'its body holds what no row has'
  return Buffer.compare(bodyEncoding.pack(members), body as Uint8Array) === 0
    ? null
    : 'its body is not what its members encode to'
}

/** Whether a decoded value is of a kind that rows have: not so what MessagePack reserves or extends. */
function isWritten(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true
  if (value instanceof Uint8Array) return true
  if (Array.isArray(value)) return value.every(isWritten)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isWritten)
}

/** What no store writes to a column. */
function valueFault(value: unknown): string | null {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return `a column holds ${value}, which is no integer below 2^53`
  return typeof value === 'string' && (value.includes('\0') || value.includes('\ufffd'))
    ? 'a column holds text that is damaged'
    : null
}
