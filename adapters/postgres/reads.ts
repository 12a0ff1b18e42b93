import type { Found, Read, Value, Versioned } from '@countersign/core/ports'
import type { Answer, Connection } from './connection.ts'
import { listStatements } from './lists.ts'
import type { Statement } from './statement.ts'
import { type Table, transpose } from './table.ts'

type Get = Extract<Read, { readonly get: string }>

const counters = 'select name, value from _counters where name = any($1::text[])'
const entries =
  'select position, entry, hash from _logs where log = $1 and partition = $2 and position > $3 order by position limit $4'
const head = 'select position from _heads where log = $1 and partition = $2'

/** A read under way: the statements that it needs, and what it makes of their answers, in that order. */
interface Asked {
  readonly statements: readonly Statement[]
  found(answers: readonly Answer[]): Found
}

/** Answers reads from one snapshot: one statement alone, or one transaction sent in one go. */
export async function answerReads(
  connection: Connection,
  table: (name: string) => Table,
  tenant: string | null,
  reads: readonly Read[],
): Promise<readonly Found[]> {
  const gets = reads.flatMap((read, place) => ('get' in read ? [{ read, place }] : []))
  const names = [...new Set(gets.map(({ read }) => read.get))]
  const getting = names.map((name) =>
    getRows(
      table(name),
      tenant,
      gets.filter(({ read }) => read.get === name),
    ),
  )
  const sums = reads.flatMap((read) => ('counter' in read ? [read.counter] : []))
  const summing = sums.length ? [{ text: counters, values: [[...new Set(sums)]] }] : []
  const others = reads.map((read) =>
    'list' in read
      ? listRows(table(read.list), tenant, read)
      : 'log' in read
        ? logRows(read)
        : null,
  )
  const answers = await askAll(connection, [
    ...getting,
    ...summing,
    ...others.flatMap((other) => other?.statements ?? []),
  ])

  let at = 0
  const next = (): Answer => answers[at++] as Answer
  const rows = new Map<number, Versioned>()
  for (const name of names)
    for (const [place, ...values] of next().rows)
      rows.set(place as number, table(name).read(values))
  const totals = new Map(summing.length ? (next().rows as [string, number][]) : [])
  return reads.map((read, place) => {
    if ('get' in read) {
      const row = rows.get(place)
      return { rows: row ? [row] : [], total: null }
    }
    if ('counter' in read) return { rows: [], total: totals.get(read.counter) ?? 0 }
    const other = others[place] as Asked
    return other.found(other.statements.map(next))
  })
}

async function askAll(
  { run }: Connection,
  statements: readonly Statement[],
): Promise<readonly Answer[]> {
  const ask = ({ text, values }: Statement) => run(text, values)
  if (statements.length <= 1) return Promise.all(statements.map(ask))
  const sent = [
    run('begin isolation level repeatable read read only'),
    ...statements.map(ask),
    run('commit'),
  ]
  // Each is awaited, so that none rejects unheard.
  const settled = await Promise.allSettled(sent)
  const failed = settled.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return (await Promise.all(sent)).slice(1, -1)
}

function getRows(
  { get, keyTypes, collection }: Table,
  tenant: string | null,
  gets: readonly { readonly read: Get; readonly place: number }[],
): Statement {
  const owner = collection.tenant === 'system' ? null : tenant
  const rows = gets.map(({ read, place }): readonly (Value | number)[] => [
    ...read.key,
    owner,
    place,
  ])
  return { text: get, values: transpose(rows, keyTypes.length + 2) }
}

function listRows(
  of: Table,
  tenant: string | null,
  read: Extract<Read, { readonly list: string }>,
): Asked {
  const { page, count } = listStatements(of, tenant, read)
  return {
    statements: [page, count].flatMap((one) => one ?? []),
    found: (answers) => ({
      rows: page ? (answers[0]?.rows ?? []).map(of.read) : [],
      total: count ? (answers.at(-1)?.rows[0]?.[0] as number) : null,
    }),
  }
}

function logRows({ log, partition, after, take }: Extract<Read, { readonly log: string }>): Asked {
  return {
    statements: [
      { text: entries, values: [log, partition, after, take] },
      { text: head, values: [log, partition] },
    ],
    found: ([page, last]) => ({
      rows: ((page?.rows ?? []) as readonly (readonly [number, Uint8Array, Uint8Array])[]).map(
        ([position, entry, hash]) => ({
          row: { position, entry, hash },
          version: position,
          leasedBy: null,
        }),
      ),
      total: (last?.rows[0]?.[0] as number | undefined) ?? 0,
    }),
  }
}
