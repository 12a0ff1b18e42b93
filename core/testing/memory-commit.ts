import { StoreError } from '../base/errors/store-error.ts'
import type { ChangeSet, CommitOutcome, Conflict, Key } from '../base/ports/store.ts'
import { keyOf } from '../base/store-kit/key-of.ts'
import { chainHash, chainStart } from '../base/store-kit/log-chain.ts'
import { type Contents, tableOf, visible } from './memory-contents.ts'
import type { Cell, Table } from './memory-table.ts'
import { keep, sameData } from './plain-data.ts'

/** Commits a set whose form is right, in one go: whole, or not at all. */
export function createCommit(contents: Contents): (set: ChangeSet) => CommitOutcome {
  const { counters, logs } = contents
  const table = (name: string) => tableOf(contents, name)

  function movedVersions(set: ChangeSet): Conflict[] {
    const conflicts: Conflict[] = []
    const judge = (name: string, key: Key, expected: number, writes: boolean) => {
      const of = table(name)
      const held = of.get(key)
      const now = visible(set.tenant, of, held)?.version ?? 0
      // A foreign row in the way of a new one is reported as absent, yet it can't be written over.
      const inTheWay = writes && expected === 0 && held !== undefined
      if (now !== expected || inTheWay) conflicts.push({ kind: 'version', in: name, key, now })
    }
    for (const check of set.checks ?? []) judge(check.in, check.key, check.version, false)
    for (const put of set.puts ?? [])
      judge(put.in, keyOf(table(put.in).collection, put.row), put.was?.version ?? 0, true)
    for (const remove of set.removes ?? []) judge(remove.in, remove.key, remove.version, true)
    return conflicts
  }

  /** Applies a set whose versions hold; `undo` collects how to take it back. */
  function apply(set: ChangeSet, undo: (() => void)[]): CommitOutcome {
    const swap = (of: Table, before: Cell | undefined, after: Cell | undefined) => {
      of.swap(before, after)
      undo.push(() => of.swap(after, before))
    }
    for (const remove of set.removes ?? []) {
      const of = table(remove.in)
      swap(of, of.get(remove.key), undefined)
    }
    for (const put of set.puts ?? []) {
      const of = table(put.in)
      const made = of.cell({
        row: keep(put.row),
        version: (put.was?.version ?? 0) + 1,
        leasedBy: put.leasedBy ?? null,
      })
      const before = of.get(made.key)
      if (before && !sameData(before.row, put.was?.row))
        throw new StoreError(
          'malformed',
          `a put into ${put.in}: the row given as seen is not the row of version ${before.version}`,
        )
      const clash = of.clash(made)
      if (clash) {
        const { key } = visible(set.tenant, of, clash.holder) ?? made
        return {
          committed: false,
          conflicts: [{ kind: 'unique', in: put.in, name: clash.name, key }],
        }
      }
      swap(of, before, made)
    }
    const ranges = (set.ranges ?? []).map((range) => {
      const of = table(range.in)
      const found: Cell[] = []
      for (const cell of of.scan(range.where, 'key', false, range.after ?? undefined)) {
        if (!visible(set.tenant, of, cell)) continue
        found.push(cell)
        if (found.length === range.window) break
      }
      for (const cell of found) swap(of, cell, undefined)
      return {
        removed: found.length,
        next: found.length === range.window ? (found.at(-1)?.key ?? null) : null,
      }
    })
    for (const { counter, delta } of set.adds ?? []) {
      const was = counters.get(counter)
      const sum = (was ?? 0) + delta
      if (!Number.isSafeInteger(sum))
        throw new StoreError('malformed', `counter ${JSON.stringify(counter)} would leave 2^53`)
      counters.set(counter, sum)
      undo.push(() => (was === undefined ? counters.delete(counter) : counters.set(counter, was)))
    }
    for (const { log, partition, entry } of set.appends ?? []) {
      const partitions = logs.get(log)
      const entries = partitions?.get(partition) ?? []
      partitions?.set(partition, entries)
      const hash = chainHash(entries.at(-1)?.hash ?? chainStart, entry)
      entries.push(keep({ position: entries.length + 1, entry, hash }))
      undo.push(() => entries.pop())
    }
    return { committed: true, ranges }
  }

  return (set) => {
    const [first, ...rest] = movedVersions(set)
    if (first) return { committed: false, conflicts: [first, ...rest] }
    const undo: (() => void)[] = []
    let outcome: CommitOutcome | undefined
    try {
      outcome = apply(set, undo)
      return outcome
    } finally {
      if (!outcome?.committed) for (const step of undo.reverse()) step()
    }
  }
}
