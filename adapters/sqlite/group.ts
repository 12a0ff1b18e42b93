import { StoreError } from '@countersign/core/ports'
import type { SqliteDatabase } from './driver.ts'
import { isFault, translateLive } from './errors.ts'
import { abandonTransaction, endOpenTransaction } from './transaction.ts'

/** Work that shares transactions: what is asked within one turn of the loop costs one sync together. */
export interface Group {
  /**
   * Runs within a transaction; the promise settles once that is durable. Work that throws must have undone what it
   * wrote, and fails alone.
   */
  run<T>(work: () => T): Promise<T>
  /** Commits what waits, now. */
  flush(): void
}

interface Task {
  readonly work: () => unknown
  readonly settle: (value: unknown) => void
  readonly fail: (error: unknown) => void
}

/** A group of so many shows load: the next may wait until it is large. */
const busySize = 24
const largeSize = 256
/** Ms that the commits of a busy store may wait for company; less than a sync takes on many disks. */
const longestWait = 12
/** A commit of so many ms shows a slow disk: the next may wait for company whatever the size of the last. */
const slowCommit = 20

/** `most`: works in one transaction, which bounds how long the thread is held. */
export function createGroup(
  db: SqliteDatabase,
  most: number,
  now: () => number = () => performance.now(),
): Group {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  let waiting: Task[] = []
  let scheduled = false
  let lastSize = 0
  let lastMs = 0
  /** How many waited when the last turn ended. */
  let seen = 0
  let lastEnd = 0
  /** When the first of those that wait came. */
  let since = 0

  /** The database failed while these shared a transaction; nothing of them is written. */
  function refuse(tasks: readonly Task[], error: unknown): void {
    const told = translateLive(error)
    // What does not fit on the disk may be one work's fault: the halves are tried by themselves.
    if (told instanceof StoreError && told.code === 'full' && tasks.length > 1) {
      const middle = tasks.length >> 1
      commitTogether(tasks.slice(0, middle))
      commitTogether(tasks.slice(middle))
      return
    }
    for (const task of tasks) task.fail(told)
  }

  function commitTogether(tasks: readonly Task[]): void {
    const settled: (() => void)[] = []
    try {
      endOpenTransaction(db)
      begin.run()
      for (const task of tasks) {
        try {
          const value = task.work()
          settled.push(() => task.settle(value))
        } catch (error) {
          if (!db.inTransaction || isFault(error)) throw error
          settled.push(() => task.fail(error))
        }
      }
      commit.run()
    } catch (error) {
      abandonTransaction(db)
      refuse(tasks, error)
      return
    }
    for (const settle of settled) settle()
  }

  function drain(limit: number): void {
    while (waiting.length && limit-- > 0) {
      const tasks = waiting.slice(0, most)
      waiting = waiting.slice(most)
      const begunAt = now()
      commitTogether(tasks)
      lastSize = tasks.length
      lastEnd = now()
      lastMs = lastEnd - begunAt
    }
  }

  /**
   * Under load a commit costs its sync and its pages whatever its size, so it waits while each turn brings more;
   * who comes alone never waits. On a slow disk the same holds after any commit, for as long as that took: libuv
   * accepts one connection a turn, and a burst of new ones would else cost a sync for each.
   */
  function mayWait(): boolean {
    if (waiting.length <= seen || waiting.length >= Math.min(largeSize, most)) return false
    if (lastMs >= slowCommit) return now() - since < lastMs
    return lastSize >= busySize && now() - lastEnd < longestWait
  }

  function onTurn(): void {
    scheduled = false
    if (!mayWait()) drain(1)
    seen = waiting.length
    schedule()
  }

  function schedule(): void {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(onTurn)
  }

  return {
    run: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) since = now()
        waiting.push({ work, settle: (value) => resolve(value as T), fail: reject })
        schedule()
      }),
    flush: () => drain(Number.POSITIVE_INFINITY),
  }
}
