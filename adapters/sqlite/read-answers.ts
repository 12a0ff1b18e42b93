import type { Found, Read } from '@countersign/core/ports'
import { listRows } from './lists.ts'
import type { Tables } from './tables.ts'

/** Answers a read that the rules have checked, within whatever snapshot the connection is. */
export function answerRead(tables: Tables, tenant: string | null, read: Read): Found {
  const { statements, logs, table } = tables
  if ('get' in read) {
    const from = table(read.get)
    const known = from.cached(tenant, read.key)
    const row = known === undefined ? from.get(tenant, read.key) : known
    return { rows: row ? [row] : [], total: null }
  }
  if ('counter' in read) return logs.total(read.counter)
  if ('log' in read) return logs.entries(read.log, read.partition, read.after, read.take)
  return listRows(statements, table(read.list), tenant, read)
}
