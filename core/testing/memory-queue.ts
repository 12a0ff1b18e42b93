import type { Lane, Store, Versioned } from '../base/ports/store.ts'
import type { StoreRules } from '../base/store-kit/rules.ts'
import { type Contents, tableOf, tell } from './memory-contents.ts'
import type { Cell } from './memory-table.ts'
import { keep } from './plain-data.ts'

type Query<N extends 'lanes' | 'claim'> = Parameters<Store[N]>[0]

/** The queues of a memory store. */
export function createQueues(contents: Contents, rules: StoreRules) {
  const table = (name: string) => tableOf(contents, name)

  function claim(query: Query<'claim'>): readonly Versioned[] {
    const { queue } = rules.queue(query.in)
    const of = table(query.in)
    return query.asks.flatMap(({ lane, take }) => {
      const found: Cell[] = []
      for (const cell of of.due(lane, query.now)) {
        if (found.length >= take) break
        found.push(cell)
      }
      return found.map((cell) => {
        const after = of.cell({
          row: keep({
            ...cell.row,
            [queue.due]: query.leaseUntil,
            [queue.claims]: Number(cell.row[queue.claims] ?? 0) + 1,
          }),
          version: cell.version + 1,
          leasedBy: query.owner,
        })
        of.swap(cell, after)
        return tell(after)
      })
    })
  }

  function lanes(query: Query<'lanes'>): readonly Lane[] {
    const { queue, tenant } = rules.queue(query.in)
    const found: Lane[] = []
    let cell = table(query.in).firstDue(query.after, false)
    while (cell && found.length < query.take) {
      const lane = String(cell.row[queue.lane])
      const due = Number(cell.row[queue.due])
      const owner = tenant === 'system' ? null : (cell.row[tenant] as string | null)
      if (due <= query.now) found.push({ lane, tenant: owner, due })
      cell = table(query.in).firstDue(lane, false)
    }
    return found
  }

  function nextDue(name: string): number | null {
    const { queue } = rules.queue(name)
    let least: number | null = null
    let cell = table(name).firstDue('', true)
    while (cell) {
      least = Math.min(least ?? Number.POSITIVE_INFINITY, Number(cell.row[queue.due]))
      cell = table(name).firstDue(String(cell.row[queue.lane]), false)
    }
    return least
  }

  return { claim, lanes, nextDue }
}
