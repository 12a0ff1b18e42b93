import { setTimeout as sleep } from 'node:timers/promises'
import { type CommitOutcome, StoreError } from '@countersign/core/ports'
import type { EncodedSet } from '@countersign/core/store-kit'
import { applyAlone, type Tables } from './alone.ts'
import type { Connection } from './connection.ts'
import { isMet, translate } from './errors.ts'
import { writeSets } from './flush.ts'
import { type Holder, keysOf, lookUp, movedOf } from './judge.ts'
import { runAll } from './statement.ts'
import type { Ended, Writer } from './writer.ts'

/** A set that waits for its outcome. */
export interface Task {
  readonly set: EncodedSet
  settle(outcome: CommitOutcome): void
  fail(error: StoreError): void
}

/** Tries of a set that other transactions meet again and again, or whose connection breaks. */
const mostTries = 30

/** Whether a set has to be applied row by row: ranges, and names that its puts may hand on to each other. */
export function needsAlone({ table }: Tables, { ranges, writes }: EncodedSet): boolean {
  if (ranges.length > 0) return true
  const puts = writes.filter(({ kind, unique }) => kind !== 'remove' && unique !== null)
  return puts.some(
    (put) =>
      put.kind === 'update' &&
      put.columns.some((column) => table(put.in).ruled.has(column)) &&
      puts.some((other) => other !== put && other.in === put.in),
  )
}

/** Commits sets by one writer: together, or, where one of them meets something, each judged by itself. */
export function createCommitter(tables: Tables, read: () => Promise<Connection>) {
  /** Those that were not committed. */
  async function commitTogether(writer: Writer, tasks: readonly Task[]): Promise<readonly Task[]> {
    const statements = writeSets(
      tables.all,
      tasks.map(({ set }) => set),
    )
    const work = {
      sent: true,
      commits: () => true,
      run: (connection: Connection) => runAll(connection, statements),
    }
    for (let tries = 0; tries < mostTries; tries++) {
      const ended = await writer.transact(work)
      if (ended.kind === 'committed') {
        for (const task of tasks) task.settle({ committed: true, ranges: [] })
        return []
      }
      // Where the connection broke, the same again; where something was met, another way.
      if (ended.kind !== 'lost') return tasks
    }
    return tasks
  }

  /** Refuses the sets that saw rows which have moved, by one look at all of them; answers the others. */
  async function refuseMoved(tasks: readonly Task[]): Promise<readonly Task[]> {
    const { run } = await read()
    const sets = tasks.map(({ set }) => set)
    const begun = run('begin isolation level repeatable read read only')
    const looks = tables.all.map((table) =>
      lookUp({ run }, table, keysOf(table.collection.name, sets, 'both'), ''),
    )
    await Promise.allSettled([begun, ...looks, run('commit')])
    const holders = new Map<string, Holder>((await Promise.all(looks)).flat())
    return tasks.filter(({ set, settle }) => {
      const [first, ...rest] = movedOf(tables.table, holders, set)
      if (!first) return true
      settle({ committed: false, conflicts: [first, ...rest] })
      return false
    })
  }

  /** As `refuseMoved`; where nobody can look, as on a connection that broke, all are left to be judged by themselves. */
  const refuse = (tasks: readonly Task[]) => refuseMoved(tasks).catch(() => tasks)

  async function commitAlone(writer: Writer, task: Task): Promise<void> {
    const work = {
      sent: false,
      commits: ({ committed }: CommitOutcome) => committed,
      run: (connection: Connection) => applyAlone(connection, tables, task.set),
    }
    let ended: Ended<CommitOutcome>
    for (let tries = 1; ; tries++) {
      ended = await writer.transact(work)
      if (ended.kind === 'committed' || ended.kind === 'refused') {
        task.settle(ended.value)
        return
      }
      if ((ended.kind === 'failed' && !isMet(ended.error)) || tries === mostTries) break
      // Writers of other processes that met this one have each their own wait.
      if (tries > 2) await sleep(Math.random() * 2 * tries)
    }
    task.fail(
      isMet(ended.error)
        ? new StoreError('busy', 'others wrote the same rows again and again', {
            cause: ended.error,
          })
        : translate(ended.error),
    )
  }

  async function commitAll(writer: Writer, tasks: readonly Task[]): Promise<void> {
    const [only] = tasks
    if (!only) return
    if (tasks.length === 1 && needsAlone(tables, only.set)) return commitAlone(writer, only)
    let left = await commitTogether(writer, tasks)
    if (left.length > 0) left = await refuse(left)
    if (left.length > 1) left = await commitTogether(writer, left)
    for (const task of left) await commitAlone(writer, task)
  }

  return {
    /** Settles or fails each. */
    async commit(writer: Writer, tasks: readonly Task[]): Promise<void> {
      try {
        await commitAll(writer, tasks)
      } catch (error) {
        // Those that have their outcome keep it.
        for (const task of tasks) task.fail(translate(error))
      }
    },
    /** Refuses those of tasks that wait whose rows have moved meanwhile; answers the others. */
    refuse,
  }
}
