import type { CommitOutcome, Conflict, Key } from '@countersign/core/ports'
import type { EncodedSet, EncodedWrite } from '@countersign/core/store-kit'
import type { Connection } from './connection.ts'
import { writeRows } from './flush.ts'
import { type Holder, type Holders, keysOf, lookUp, movedOf, sees } from './judge.ts'
import { removeRange } from './lists.ts'
import { countAndAppend } from './logs.ts'
import { runAll } from './statement.ts'
import { type Table, transpose } from './table.ts'

/** The tables that a set needs, in the order of their declaration. */
export interface Tables {
  readonly all: readonly Table[]
  table(name: string): Table
}

/**
 * Applies one set within a transaction, row by row: it locks what the set relies on and writes, judges it, and looks for
 * the row in the way before each put. What it answers as refused wrote nothing that may be committed.
 */
export async function applyAlone(
  connection: Connection,
  tables: Tables,
  set: EncodedSet,
): Promise<CommitOutcome> {
  const { tenant, writes, ranges } = set
  await lockTables(connection, tables, set)
  const holders = await lockRows(connection, tables, set)
  const [first, ...rest] = movedOf(tables.table, holders, set)
  if (first) return { committed: false, conflicts: [first, ...rest] }
  for (const table of tables.all) {
    const removes = writes.filter(
      (write) => write.in === table.collection.name && write.kind === 'remove',
    )
    await runAll(connection, writeRows(table, owned(removes, tenant)))
  }
  for (const write of writes) {
    if (write.kind === 'remove') continue
    const table = tables.table(write.in)
    const clash = await findClash(connection, table, tenant, write)
    if (clash) return { committed: false, conflicts: [clash] }
    await runAll(connection, writeRows(table, owned([write], tenant)))
  }
  const removed = []
  for (const range of ranges)
    removed.push(await removeRange(connection, tables.table(range.in), tenant, range))
  await runAll(connection, countAndAppend([set]))
  return { committed: true, ranges: removed }
}

const owned = (writes: readonly EncodedWrite[], tenant: string | null) =>
  writes.map((write) => ({ write, tenant }))

/** A range sees rows that nobody locked: until it has ended, nobody else writes its collection. */
async function lockTables({ run }: Connection, { all }: Tables, { ranges }: EncodedSet) {
  for (const { collection, layout } of all)
    if (ranges.some((range) => range.in === collection.name))
      await run(`lock table ${layout.table} in share row exclusive mode`)
}

async function lockRows(connection: Connection, tables: Tables, set: EncodedSet): Promise<Holders> {
  const holders = new Map<string, Holder>()
  for (const table of tables.all) {
    const { name } = table.collection
    const absent = keysOf(
      name,
      [{ ...set, checks: set.checks.filter(({ version }) => version === 0) }],
      'checks',
    )
    await lockAbsences(connection, table, absent)
    const writes = keysOf(name, [set], 'writes')
    const checks = keysOf(name, [set], 'checks')
    for (const found of [
      await lookUp(connection, table, writes, 'for update of t'),
      await lookUp(connection, table, checks, 'for share of t'),
    ])
      for (const [id, holder] of found) holders.set(id, holder)
  }
  return holders
}

/** Whoever inserts one of these keys waits until this transaction has ended; a row that is there is left alone. */
async function lockAbsences(
  connection: Connection,
  table: Table,
  keys: readonly Key[],
): Promise<void> {
  if (keys.length === 0) return
  const given = transpose(keys, table.keyTypes.length)
  await connection.run(table.anyAbsences, given)
  await connection.run(table.freeAbsences, given)
}

/** The first unique rule that the row would break, asked while the set's earlier writes stand. */
async function findClash(
  { run }: Connection,
  table: Table,
  tenant: string | null,
  { in: name, key, unique }: EncodedWrite,
): Promise<Conflict | null> {
  if (!unique) return null
  for (const rule of table.rules) {
    if (rule.when && unique[rule.when.column] !== rule.when.is) continue
    const values = rule.on.map((column) => unique[column] ?? null)
    if (values.includes(null)) continue
    const { rows } = await run(rule.sql, [...values, ...key])
    const [found] = rows
    if (!found) continue
    const [owner, ...other] = found as readonly [string | null, ...Key]
    const visible = sees(table, tenant, { version: 1, tenant: owner })
    return {
      kind: 'unique',
      in: name,
      name: rule.name,
      key: visible ? (other as unknown as Key) : key,
    }
  }
  return null
}
