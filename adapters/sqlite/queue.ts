import type { Lane, Store, Versioned } from '@countersign/core/ports'
import { dueIndex, orderOf, queueIndex, quote } from './layout.ts'
import type { Statements } from './statements.ts'
import type { Table } from './table.ts'

/** A collection as a queue: everything here is a seek in an index of (lane, due), never a walk over rows. */
export interface Queue {
  lanes(query: Parameters<Store['lanes']>[0]): readonly Lane[]
  nextDue(): number | null
  claim(query: Parameters<Store['claim']>[0]): readonly Versioned[]
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
  const nextLane = `SELECT ${lane}, ${due}, ${owner === 'system' ? 'NULL' : quote(owner)} FROM ${inLanes}
    WHERE ${due} IS NOT NULL AND ${lane} > ? ORDER BY ${lane}, ${order} LIMIT 1`
  const ready = `SELECT ${layout.selected} FROM ${inLanes}
    WHERE ${lane} = ? AND ${due} IS NOT NULL AND ${due} <= ? ORDER BY ${order} LIMIT ?`
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
      const found: Lane[] = []
      const step = statements.of(nextLane)
      let at = after
      while (found.length < take) {
        const next = step.get([at]) as [string, number, string | null] | undefined
        if (!next) break
        at = next[0]
        if (next[1] <= now) found.push({ lane: next[0], tenant: next[2], due: next[1] })
      }
      return found
    },
    claim({ asks, now, leaseUntil, owner: claimant }) {
      const claimed: Versioned[] = []
      for (const ask of asks) {
        const rows = statements.of(ready).all([ask.lane, now, ask.take]) as unknown[][]
        for (const values of rows) {
          statements.of(lease).run([leaseUntil, claimant, ...keyAt.map((at) => values[at])])
          values[dueAt] = leaseUntil
          values[claimsAt] = Number(values[claimsAt] ?? 0) + 1
          values[versionAt] = Number(values[versionAt]) + 1
          values[versionAt + 1] = claimant
          claimed.push(table.read(values))
        }
      }
      return claimed
    },
  }
}
