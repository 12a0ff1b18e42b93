import { chainStart, type EncodedSet } from '@countersign/core/store-kit'
import type { Statement } from './statement.ts'

const sums = `insert into _counters as c (name, value) select * from unnest($1::text[], $2::bigint[])
  on conflict (name) do update set value = c.value + excluded.value`

/** Reserves positions, which locks the head until the transaction ends. */
const reserve = `insert into _heads as h (log, partition, position, hash)
  select l, p, n, $4 from unnest($1::text[], $2::text[], $3::bigint[]) as k(l, p, n)
  on conflict (log, partition) do update set position = h.position + excluded.position`

/** Numbers and links the entries of each head, from the hash that it still has; arrays: log, partition, place, entry. */
const chain = `with recursive given as materialized (
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[]) as g(l, p, n, e)
  ), counts as materialized (select l, p, max(n) as total from given group by l, p),
  linked(l, p, n, position, e, hash) as (
    select g.l, g.p, g.n, h.position - c.total + 1, g.e, sha256(h.hash || g.e)
      from given g join counts c on c.l = g.l and c.p = g.p join _heads h on h.log = g.l and h.partition = g.p
      where g.n = 1
    union all
    select g.l, g.p, g.n, k.position + 1, g.e, sha256(k.hash || g.e)
      from linked k join given g on g.l = k.l and g.p = k.p and g.n = k.n + 1
  ), written as (
    insert into _logs (log, partition, position, entry, hash) select l, p, position, e, hash from linked
  )
  update _heads h set hash = k.hash from linked k
    where h.log = k.l and h.partition = k.p and h.position = k.position`

/** The statements that add to counters and append to logs for sets of one transaction, in the order of the sets. */
export function countAndAppend(
  sets: readonly Pick<EncodedSet, 'adds' | 'appends'>[],
): readonly Statement[] {
  const statements: Statement[] = []
  const totals = new Map<string, number>()
  for (const { adds } of sets)
    for (const { counter, delta } of adds) totals.set(counter, (totals.get(counter) ?? 0) + delta)
  const counters = [...totals].sort(([a], [b]) => (a < b ? -1 : 1))
  if (counters.length)
    statements.push({
      text: sums,
      values: [counters.map(([name]) => name), counters.map(([, total]) => total)],
    })

  const heads = new Map<string, { log: string; partition: string; entries: Uint8Array[] }>()
  for (const { appends } of sets)
    for (const { log, partition, entry } of appends) {
      const id = `${log} ${partition}`
      const head = heads.get(id)
      if (head) head.entries.push(entry)
      else heads.set(id, { log, partition, entries: [entry] })
    }
  const sorted = [...heads].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, head]) => head)
  if (sorted.length === 0) return statements
  const entries = sorted.flatMap(({ log, partition, entries }) =>
    entries.map((entry, at) => ({ log, partition, place: at + 1, entry })),
  )
  statements.push(
    {
      text: reserve,
      values: [
        sorted.map(({ log }) => log),
        sorted.map(({ partition }) => partition),
        sorted.map(({ entries }) => entries.length),
        chainStart,
      ],
    },
    {
      text: chain,
      values: [
        entries.map(({ log }) => log),
        entries.map(({ partition }) => partition),
        entries.map(({ place }) => place),
        entries.map(({ entry }) => entry),
      ],
    },
  )
  return statements
}
