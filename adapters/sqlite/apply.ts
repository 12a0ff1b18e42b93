import type { CommitOutcome, Conflict, Key } from '@countersign/core/ports'
import type { EncodedSet, EncodedWrite } from '@countersign/core/store-kit'
import { removeRange } from './lists.ts'
import type { Logs } from './logs.ts'
import type { Savepoint } from './savepoint.ts'
import type { Statements } from './statements.ts'
import type { Table } from './table.ts'

export interface Application {
  readonly savepoint: Savepoint
  readonly statements: Statements
  readonly logs: Logs
  table(name: string): Table
}

/** Applies a set within a transaction: whole, or nothing of it and the conflicts that it met. */
export function applySet(
  { savepoint, statements, logs, table }: Application,
  { tenant, checks, writes, ranges, adds, appends }: EncodedSet,
): CommitOutcome {
  // One statement is whole or nothing by itself.
  const guarded = ranges.length > 0 || writes.length + adds.length + appends.length > 1

  function versionFor(of: Table, key: Key): number {
    const holder = of.holder(key)
    return of.sees(tenant, holder) ? holder.version : 0
  }

  /** Every version that moved, in the order in which the port lists them: checks, puts, removes. */
  function moved(): Conflict[] {
    const conflicts: Conflict[] = []
    for (const { in: name, key, version } of checks) {
      const now = versionFor(table(name), key)
      if (now !== version) conflicts.push({ kind: 'version', in: name, key, now })
    }
    const removing = writes.filter(({ kind }) => kind === 'remove')
    const putting = writes.filter(({ kind }) => kind !== 'remove')
    for (const { in: name, key, version } of [...putting, ...removing]) {
      const of = table(name)
      const holder = of.holder(key)
      const now = of.sees(tenant, holder) ? holder.version : 0
      if (now !== version || (version === 0 && holder !== undefined))
        conflicts.push({ kind: 'version', in: name, key, now })
    }
    return conflicts
  }

  /** Why a write met nothing, asked while the set's earlier writes stand. */
  function clashOf({ in: name, key, unique }: EncodedWrite): Conflict | undefined {
    const of = table(name)
    const clash = unique && of.clash(unique, key)
    if (!clash) return undefined
    const visible = of.sees(tenant, of.holder(clash.key))
    return { kind: 'unique', in: name, name: clash.name, key: visible ? clash.key : key }
  }

  function apply(): { readonly failed: EncodedWrite } | CommitOutcome {
    for (const write of writes) if (!table(write.in).write(tenant, write)) return { failed: write }
    const removed = ranges.map((range) => removeRange(statements, table(range.in), tenant, range))
    for (const { counter, delta } of adds) logs.add(counter, delta)
    for (const { log, partition, entry } of appends) logs.append(log, partition, entry)
    return { committed: true, ranges: removed }
  }

  function refused(unique: Conflict | undefined): CommitOutcome {
    const [first, ...rest] = moved()
    if (first) return { committed: false, conflicts: [first, ...rest] }
    if (unique) return { committed: false, conflicts: [unique] }
    throw new Error('a write met neither its row nor another in the way')
  }

  for (const { in: name, key, version } of checks)
    if (versionFor(table(name), key) !== version) return refused(undefined)
  if (guarded) savepoint.begin()
  try {
    const done = apply()
    if ('committed' in done) {
      if (guarded) savepoint.keep()
      return done
    }
    const unique = clashOf(done.failed)
    if (guarded) savepoint.undo()
    return refused(unique)
  } catch (error) {
    if (guarded) savepoint.undo(error)
    throw error
  }
}
