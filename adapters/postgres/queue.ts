import type { Lane, Store, Versioned } from '@countersign/core/ports'
import type { StoreRules } from '@countersign/core/store-kit'
import type { Connection } from './connection.ts'
import { list, quote } from './layout.ts'
import type { Table } from './table.ts'

type Claim = Parameters<Store['claim']>[0]

/** A collection as a queue: everything here is a seek in an index of (lane, due), never a walk over rows. */
export interface Queue {
  lanes(connection: Connection, query: Parameters<Store['lanes']>[0]): Promise<readonly Lane[]>
  nextDue(connection: Connection): Promise<number | null>
  claim(connection: Connection, query: Claim): Promise<readonly Versioned[]>
}

export function openQueue(table: Table, queue: ReturnType<StoreRules['queue']>['queue']): Queue {
  const { collection, layout, selected } = table
  const { key, tenant } = collection
  const [lane, due, claims] = [queue.lane, queue.due, queue.claims].map(quote)
  const owner = tenant === 'system' ? 'null::text' : quote(tenant)
  const order = list([...new Set([queue.lane, queue.due, ...key])])
  const first = (behind: string) =>
    `(select ${lane} as lane, ${due} as due, ${owner} as owner from ${layout.table} where ${due} is not null and ${lane} > ${behind} order by ${order} limit 1)`
  const scan = `with recursive w(lane, due, owner) as (
      ${first('$1')} union all select n.* from w cross join lateral ${first('w.lane')} n
    ) select lane, due, owner from w where due <= $2 limit $3`
  const next = `select ${due} from ${layout.table} where ${due} is not null order by ${due} limit 1`
  const keys = list(key)
  const take = `with asked as (select * from unnest($1::text[], $2::int[]) with ordinality as a(_lane, _take, _n)),
    picked as materialized (
      select a._n, p.* from asked a cross join lateral (
        select ${keys}, ${due} as _due from ${layout.table}
          where ${lane} = a._lane and ${due} is not null and ${due} <= $3
          order by ${list([...new Set([queue.due, ...key])])} limit a._take for update skip locked
      ) p
    ), taken as (
      update ${layout.table} t set ${due} = $4, ${claims} = t.${claims} + 1, "_leasedBy" = $5, _version = t._version + 1
        from picked p where ${key.map((column) => `t.${quote(column)} = p.${quote(column)}`).join(' and ')}
        returning p._n, p._due, ${selected}
    )
    select * from taken order by _n, _due, ${keys}`

  /** Lanes that are asked for twice take their turns: a statement does not skip what it has locked itself. */
  function rounds(asks: Claim['asks']): Claim['asks'][] {
    const made: Claim['asks'][number][][] = []
    let seen = new Set<string>()
    for (const ask of asks) {
      if (ask.take === 0) continue
      if (made.length === 0 || seen.has(ask.lane)) {
        made.push([])
        seen = new Set()
      }
      seen.add(ask.lane)
      made.at(-1)?.push(ask)
    }
    return made
  }

  return {
    async lanes({ run }, { now, after, take }) {
      const { rows } = await run(scan, [after, now, take])
      return (rows as readonly (readonly [string, number, string | null])[]).map(
        ([lane, due, tenant]) => ({ lane, tenant, due }),
      )
    },
    async nextDue({ run }) {
      const { rows } = await run(next)
      return (rows[0]?.[0] as number | undefined) ?? null
    },
    async claim({ run }, { asks, now, leaseUntil, owner }) {
      const claimed: Versioned[] = []
      for (const round of rounds(asks)) {
        const lanes = round.map(({ lane }) => lane)
        const takes = round.map(({ take }) => Math.min(take, 2 ** 31 - 1))
        const { rows } = await run(take, [lanes, takes, now, leaseUntil, owner])
        for (const row of rows) claimed.push(table.read(row.slice(2)))
      }
      return claimed
    },
  }
}
