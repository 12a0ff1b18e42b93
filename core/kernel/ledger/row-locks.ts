import type { Clock } from '../../base/ports/clock.ts'
import type { Conflict } from '../../base/ports/store.ts'

/** Max ms that a lock excludes others, so that a plan that hangs, or waits for one behind it, stops none. */
const maxHold = 1000

/** Locks on rows within this process, first come, first served; they order retries and guard nothing. */
export interface RowLocks {
  /**
   * Takes the locks of these rows in one order for all, so that no two wait for each other; resolves with the release.
   * A lock is released by itself a second after it was taken.
   */
  take(rows: Iterable<string>): Promise<() => void>
}

/** The name of the lock of the row that a commit conflicted with. */
export function lockOf({ in: name, key }: Conflict): string {
  return JSON.stringify([name, key])
}

/** Row locks without any that is taken. */
export function createRowLocks({ after }: Pick<Clock, 'after'>): RowLocks {
  /** The release of the last in each row's queue. */
  const tails = new Map<string, Promise<void>>()

  async function takeOne(row: string): Promise<() => void> {
    const before = tails.get(row)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    tails.set(row, released)
    await before
    const cancel = after(maxHold, release)
    void released.then(() => {
      cancel()
      if (tails.get(row) === released) tails.delete(row)
    })
    return release
  }

  return {
    async take(rows) {
      const releases: (() => void)[] = []
      for (const row of [...rows].toSorted()) releases.push(await takeOne(row))
      return () => {
        for (const release of releases) release()
      }
    },
  }
}
