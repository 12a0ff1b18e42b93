import type { EncodedSet } from '@countersign/core/store-kit'
import type { Tables } from './alone.ts'
import { needsAlone, type Task } from './committer.ts'
import { idOf } from './judge.ts'

/** Bounds of a group: sets, rows and bytes that share a transaction. */
const most = { sets: 64, rows: 2_000, bytes: 4_000_000 }

/** How far behind the first that waits others are looked for. */
const mostLooked = 1_000

/** Keys that sets write or rely on; a key is relied on at one version, or written. */
interface Keys {
  meets(set: EncodedSet): boolean
  add(set: EncodedSet): void
  remove(set: EncodedSet): void
}

function createKeys(): Keys {
  const writes = new Map<string, number>()
  const checks = new Map<string, { readonly version: number; count: number }>()
  return {
    meets: (set) =>
      set.writes.some(({ in: name, key }) => {
        const id = idOf(name, key)
        return writes.has(id) || checks.has(id)
      }) ||
      set.checks.some(({ in: name, key, version }) => {
        const id = idOf(name, key)
        return writes.has(id) || (checks.get(id)?.version ?? version) !== version
      }),
    add(set) {
      for (const { in: name, key } of set.writes) {
        const id = idOf(name, key)
        writes.set(id, (writes.get(id) ?? 0) + 1)
      }
      for (const { in: name, key, version } of set.checks) {
        const id = idOf(name, key)
        const found = checks.get(id)
        if (found) found.count += 1
        else checks.set(id, { version, count: 1 })
      }
    },
    remove(set) {
      for (const { in: name, key } of set.writes) {
        const id = idOf(name, key)
        const left = (writes.get(id) ?? 1) - 1
        if (left === 0) writes.delete(id)
        else writes.set(id, left)
      }
      for (const { in: name, key } of set.checks) {
        const id = idOf(name, key)
        const found = checks.get(id)
        if (found && --found.count === 0) checks.delete(id)
      }
    },
  }
}

/** Sets that wait, as groups whose sets never meet each other or one that is under way. */
export interface Groups {
  add(task: Task): void
  readonly waiting: number
  /** The next group, under way from now on; empty where none may begin. */
  take(): readonly Task[]
  done(tasks: readonly Task[]): void
  /** Takes out those that wait for the keys of these, where they are several: most of them have lost a race. */
  takeMeeting(tasks: readonly Task[]): readonly Task[]
  putBack(tasks: readonly Task[]): void
}

export function createGroups(tables: Tables): Groups {
  const running = createKeys()
  let waiting: Waiting[] = []
  const waits = (task: Task): Waiting => ({
    task,
    alone: needsAlone(tables, task.set),
    ...sizeOf(task.set),
  })
  return {
    add: (task) => void waiting.push(waits(task)),
    get waiting() {
      return waiting.length
    },
    take() {
      const passed = createKeys()
      const group: Task[] = []
      const left: Waiting[] = []
      let [rows, bytes] = [0, 0]
      let closed = false
      for (const [place, one] of waiting.entries()) {
        closed ||= place >= mostLooked || group.length === most.sets
        if (closed) {
          left.push(one)
          continue
        }
        const { set } = one.task
        const fits =
          group.length === 0 ||
          (!one.alone && rows + one.rows <= most.rows && bytes + one.bytes <= most.bytes)
        if (!fits || running.meets(set) || passed.meets(set)) {
          left.push(one)
          passed.add(set)
          continue
        }
        group.push(one.task)
        running.add(set)
        rows += one.rows
        bytes += one.bytes
        closed = one.alone
      }
      waiting = left
      return group
    },
    done(tasks) {
      for (const { set } of tasks) running.remove(set)
    },
    takeMeeting(tasks) {
      if (waiting.length < 2) return []
      const keys = createKeys()
      for (const { set } of tasks) keys.add(set)
      const met = waiting.filter(({ task }) => keys.meets(task.set))
      if (met.length < 2) return []
      waiting = waiting.filter((one) => !met.includes(one))
      return met.map(({ task }) => task)
    },
    putBack(tasks) {
      waiting = [...tasks.map(waits), ...waiting]
    },
  }
}

interface Waiting {
  readonly task: Task
  readonly alone: boolean
  readonly rows: number
  readonly bytes: number
}

function sizeOf({ writes, checks, appends }: EncodedSet): { rows: number; bytes: number } {
  let bytes = 0
  for (const { values } of writes)
    for (const value of values) if (value instanceof Uint8Array) bytes += value.length
  for (const { entry } of appends) bytes += entry.length
  return { rows: writes.length + checks.length + appends.length, bytes }
}
