import type { Key, Lane, Store } from '@countersign/core/ports'
import { dueIndex, orderOf, queueIndex, quote } from './layout.ts'
import type { Statements } from './statements.ts'
import type { Table } from './table.ts'

/** A collection as a queue: everything here is a seek in an index of (lane, due), never a walk over rows. */
export interface Queue {
  lanes(query: Parameters<Store['lanes']>[0]): readonly Lane[]
  nextDue(): number | null
  /** The claimed rows as `Table.read` takes them. */
  claim(query: Parameters<Store['claim']>[0]): readonly unknown[][]
}

export function openQueue(
  table: Table,
  queue: { readonly lane: string; readonly due: string; readonly claims: string },
  statements: Statements,
): Queue {
  const { collection, layout } = table
  const { tenant: owner, name } = collection
  const [lane, due, claims] = [queue.lane, queue.due, queue.claims].map(quote)
  const inLanes = `${layout.table} INDEXED BY ${quote(queueIndex(name))}`
  const order = [...new Set([queue.due, ...orderOf(collection, 'key')])].map(quote).join(', ')
  const byKey = layout.key.map((column) => `${quote(column)} = ?`).join(' AND ')

  const first = `SELECT ${due} FROM ${layout.table} INDEXED BY ${quote(dueIndex(name))}
    WHERE ${due} IS NOT NULL ORDER BY ${due} LIMIT 1`
  const waits = `FROM ${inLanes} WHERE ${due} IS NOT NULL AND ${lane}`
  const ownerColumn = owner === 'system' ? 'NULL' : quote(owner)
  // Each step of the recursion is one seek to the next lane; the rows of a lane are never walked.
  const dueLanes = `WITH RECURSIVE scan (_lane) AS (
      SELECT (SELECT ${lane} ${waits} > ? ORDER BY ${lane} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${lane} ${waits} > _lane ORDER BY ${lane} LIMIT 1) FROM scan WHERE _lane IS NOT NULL
    )
    SELECT _lane, _first, (SELECT ${ownerColumn} ${waits} = _lane ORDER BY ${order} LIMIT 1)
    FROM (
      SELECT _lane, (SELECT ${due} ${waits} = _lane ORDER BY ${due} LIMIT 1) AS _first
      FROM scan WHERE _lane IS NOT NULL
    )
    WHERE _first <= ? LIMIT ? + 0`
  const ready = `SELECT ${layout.selected} FROM ${inLanes}
    WHERE ${lane} = ? AND ${due} IS NOT NULL AND ${due} <= ? ORDER BY ${order} LIMIT ? + 0`
  const lease = `UPDATE ${layout.table}
    SET ${due} = ?, _leasedBy = ?, _version = _version + 1, ${claims} = coalesce(${claims}, 0) + 1 WHERE ${byKey}`
  const dueAt = layout.columns.indexOf(queue.due)
  const claimsAt = layout.columns.indexOf(queue.claims)
  const versionAt = layout.columns.length
  const keyAt = layout.key.map((column) => layout.columns.indexOf(column))

  function nextDue(): number | null {
    const found = statements.of(first).get() as [number] | undefined
    return found?.[0] ?? null
  }

  return {
    nextDue,
    lanes({ now, after, take }) {
      // A queue whose work lies all ahead is left without looking at its lanes.
      const earliest = nextDue()
      if (earliest === null || earliest > now) return []
      const found = statements.of(dueLanes).all([after, now, take]) as [string, number, string][]
      return found.map(([lane, due, tenant]) => ({ lane, tenant, due }))
    },
    claim({ asks, now, leaseUntil, owner: claimant }) {
      const claimed: unknown[][] = []
      for (const ask of asks) {
        const rows = statements.of(ready).all([ask.lane, now, ask.take]) as unknown[][]
        for (const values of rows) {
          const key = keyAt.map((at) => values[at]) as unknown as Key
          table.forget(key)
          statements.of(lease).run([leaseUntil, claimant, ...key])
          values[dueAt] = leaseUntil
          values[claimsAt] = Number(values[claimsAt] ?? 0) + 1
          values[versionAt] = Number(values[versionAt]) + 1
          values[versionAt + 1] = claimant
          claimed.push(values)
        }
      }
      return claimed
    },
  }
}
