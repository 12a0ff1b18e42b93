import { readFileSync, statSync } from 'node:fs'

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

/** The owner of the lock in a list such as `1: POSIX  ADVISORY  WRITE 123 fe:00:4711 120 120`; one that waits has an arrow. */
export function holderOf(locks: string, inode: number): number | null {
  for (const line of locks.split('\n')) {
    const [, kind, , mode, pid, place = '', first, last] = line.split(/\s+/)
    if (kind !== 'POSIX' || mode !== 'WRITE' || !place.endsWith(`:${inode}`)) continue
    const end = last === 'EOF' ? Number.POSITIVE_INFINITY : Number(last)
    if (Number(first) <= writeByte && writeByte <= end) return Math.max(0, Number(pid))
  }
  return null
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
