import { readFileSync, statSync } from 'node:fs'
import { lockFileOf } from './lock.ts'

/** A process that holds the write lock of a database. */
export interface WriteLockHolder {
  /** 0 for a process of another container, which the system does not number here. */
  readonly pid: number
  /** Its name, as the system has it; null where that can't be read. */
  readonly command: string | null
  /** Whether it is stopped, by SIGSTOP or a debugger: it holds the lock until it goes on or ends. */
  readonly stopped: boolean
}

/** Where SQLite locks writers of a write-ahead log: the first lock byte of the file beside the database. */
const writeByte = 120

/** Who holds the write lock of a database; null where nobody does, or the system does not tell, as Linux does. */
export function writeLockHolder(file: string): WriteLockHolder | null {
  const shared = statSync(`${file}-shm`, { throwIfNoEntry: false })
  if (!shared) return null
  const pid = holderOf(readOr('/proc/locks'), shared.ino)
  if (pid === null) return null
  // "123 (a name) T …": the name may hold spaces and parentheses.
  const [, command = null, state] = /^\d+ \((.*)\) (\S)/s.exec(readOr(`/proc/${pid}/stat`)) ?? []
  return { pid, command, stopped: state === 'T' || state === 't' }
}

/** Other processes that have a database open as servers do, by `lockDatabase`; none where the system does not tell, as Linux does. */
export function otherUsersOf(file: string): readonly number[] {
  const lock = statSync(lockFileOf(file), { throwIfNoEntry: false })
  if (!lock) return []
  const pids = locksOf(readOr('/proc/locks'))
    .filter(({ inode, pid }) => inode === lock.ino && pid !== process.pid)
    .map(({ pid }) => pid)
  return [...new Set(pids)]
}

/** The owner of the lock in a list such as `1: POSIX  ADVISORY  WRITE 123 fe:00:4711 120 120`; one that waits has an arrow. */
export function holderOf(locks: string, inode: number): number | null {
  const held = locksOf(locks).find(
    ({ mode, first, last, ...lock }) =>
      mode === 'WRITE' && lock.inode === inode && first <= writeByte && writeByte <= last,
  )
  return held?.pid ?? null
}

interface Lock {
  readonly mode: string
  readonly pid: number
  readonly inode: number
  readonly first: number
  readonly last: number
}

/** The locks of POSIX that are held, not those that are waited for. */
function locksOf(text: string): readonly Lock[] {
  return text.split('\n').flatMap((line) => {
    const [, kind, , mode = '', pid, place = '', first, last] = line.split(/\s+/)
    if (kind !== 'POSIX') return []
    return [
      {
        mode,
        // -1 for a process of another container.
        pid: Math.max(0, Number(pid)),
        inode: Number(place.split(':').at(-1)),
        first: Number(first),
        last: last === 'EOF' ? Number.POSITIVE_INFINITY : Number(last),
      },
    ]
  })
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
