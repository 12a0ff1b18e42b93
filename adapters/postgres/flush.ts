import type { Key } from '@countersign/core/ports'
import type { EncodedSet, EncodedWrite } from '@countersign/core/store-kit'
import { countAndAppend } from './logs.ts'
import type { Statement } from './statement.ts'
import { compareKeys, type Table, transpose } from './table.ts'

/** A row that must be as it was seen: its key, its version and the tenant that must own it, null for any. */
interface Seen {
  readonly key: Key
  readonly version: number
  readonly tenant: string | null
}

interface Owned {
  readonly write: EncodedWrite
  readonly tenant: string | null
}

const byKey = (a: { readonly key: Key }, b: { readonly key: Key }): number =>
  compareKeys(a.key, b.key)

const bind = (rows: readonly Seen[], width: number, more: (at: number) => readonly unknown[]) =>
  transpose(
    rows.map(({ key, version, tenant }, at) => [...key, version, tenant, ...more(at)]),
    width,
  )

/** Each row once: whose rows meet are not in one group, so that all of them saw one version. */
function distinct(rows: readonly Seen[]): readonly Seen[] {
  const found = new Map<string, Seen>()
  for (const row of rows) {
    const id = JSON.stringify(row.key)
    const other = found.get(id)
    if (!other || other.tenant === null) found.set(id, row)
  }
  return [...found.values()].sort(byKey)
}

/**
 * The statements that write sets whole, or fail their transaction where a row is not as one of them saw it. The keys
 * of the sets don't meet but in checks of one version; the order of puts and removes within a set must not matter.
 */
export function writeSets(
  tables: readonly Table[],
  sets: readonly EncodedSet[],
): readonly Statement[] {
  const checks = new Map<string, Seen[]>()
  const writes = new Map<string, Owned[]>()
  const add = <T>(to: Map<string, T[]>, name: string, one: T) => {
    const found = to.get(name)
    if (found) found.push(one)
    else to.set(name, [one])
  }
  for (const { tenant, checks: relied, writes: written } of sets) {
    for (const { in: name, key, version } of relied) add(checks, name, { key, version, tenant })
    for (const write of written) add(writes, write.in, { write, tenant })
  }
  return [
    ...tables.flatMap((table) => {
      const { name } = table.collection
      return [
        ...checkRows(table, checks.get(name) ?? []),
        ...writeRows(table, writes.get(name) ?? []),
      ]
    }),
    ...countAndAppend(sets),
  ]
}

function checkRows(table: Table, rows: readonly Seen[]): readonly Statement[] {
  const width = table.keyTypes.length
  const statements: Statement[] = []
  const present = distinct(rows.filter(({ version }) => version > 0))
  if (present.length)
    statements.push({
      text: table.checks,
      values: [...bind(present, width + 2, () => []), present.length],
    })
  const absent = distinct(rows.filter(({ version }) => version === 0))
  if (absent.length) {
    const keys = transpose(
      absent.map(({ key }) => key),
      width,
    )
    statements.push(
      { text: table.absences, values: [...keys, absent.length] },
      { text: table.freeAbsences, values: keys },
    )
  }
  return statements
}

/** Removes, then updates by the columns that they change, then inserts. */
export function writeRows(table: Table, writes: readonly Owned[]): readonly Statement[] {
  const width = table.keyTypes.length
  const sorted = [...writes].sort((a, b) => byKey(a.write, b.write))
  const seen = ({ write: { key, version }, tenant }: Owned): Seen => ({ key, version, tenant })
  const statements: Statement[] = []
  const removes = sorted.filter(({ write }) => write.kind === 'remove')
  if (removes.length)
    statements.push({
      text: table.removes,
      values: [...bind(removes.map(seen), width + 2, () => []), removes.length],
    })

  const shapes = new Map<string, Owned[]>()
  for (const one of sorted) {
    if (one.write.kind !== 'update') continue
    const shape = one.write.columns.join()
    const found = shapes.get(shape)
    if (found) found.push(one)
    else shapes.set(shape, [one])
  }
  for (const rows of shapes.values()) {
    const columns = [...(rows[0]?.write.columns ?? []), '_leasedBy']
    const values = bind(
      rows.map(seen),
      width + 2 + columns.length,
      (at) => rows[at]?.write.values ?? [],
    )
    statements.push({ text: table.update(columns), values: [...values, rows.length] })
  }

  const inserts = sorted.filter(({ write }) => write.kind === 'insert')
  if (inserts.length)
    statements.push({
      text: table.inserts,
      values: transpose(
        inserts.map(({ write }) => write.values),
        table.layout.columns.length - 1,
      ),
    })
  return statements
}
