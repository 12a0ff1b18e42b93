import type { Clock, Observer } from '@countersign/core/ports'

/** Bounds what answers hold in memory, for all apps of a process together. */
export interface Answers {
  /**
   * Waits for a turn to read what an answer will have in it, and for room to hold it; ends the turn when called.
   * A `piece` of a list may be several large rows, so that one at a time is read. An owner has a quarter of the room.
   */
  turn(of: 'call' | 'piece', owner?: string | null): Promise<() => void>
  /** Notes an answer that waits for its receiver; `cut` ends it, which is told to the observer. */
  hold(cut: () => void, owner?: string | null): Held
  /** Calls `cut` unless the receiver takes something in time; cancels when called. */
  expectProgress(cut: () => void): () => void
}

/** An answer of which a part is in memory. */
export interface Held {
  /** What it holds from now on. */
  holds(bytes: number): void
  /** Its receiver took something. */
  progressed(): void
  end(): void
}

/** Bounds of `createAnswers`. */
export interface AnswersOptions {
  readonly clock?: Pick<Clock, 'monotonic' | 'after'>
  readonly observer: Observer
  /** Bytes that answers hold together before those that stall are cut (default 32 MiB). */
  readonly mostBytes?: number
  /** How long a receiver may take nothing (default 30 s). */
  readonly stallMs?: number
}

/** Reads that are under way at once: what they bring is in memory, and encoding it holds the event loop. */
const mostTurns = { call: 8, piece: 1 } as const
/** While others wait for room, a receiver may take nothing for so long. */
const pressedStallMs = 1_000
const lookEveryMs = 100

const systemClock: Pick<Clock, 'monotonic' | 'after'> = {
  monotonic: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

/** Of the room, at most; null owns nothing, and no part is too much for it. */
const ownersPart = 4

interface Entry {
  readonly owner: string | null
  bytes: number
  since: number
  readonly cut: () => void
}

/** Bounds what the answers of a process hold in memory together, and cuts those whose receivers stall. */
export function createAnswers(options: AnswersOptions): Answers {
  const { clock = systemClock, observer, mostBytes = 32 * 1024 * 1024, stallMs = 30_000 } = options
  /** In the order of their last progress. */
  const held = new Set<Entry>()
  const gates = { call: createGate(mostTurns.call), piece: createGate(mostTurns.piece) }
  const owned = new Map<string, number>()
  let bytes = 0

  function cut(entry: Entry, reason: string): void {
    drop(entry)
    observer.event('http.answer_cut', { reason, bytes: entry.bytes })
    entry.cut()
  }

  function drop(entry: Entry): void {
    if (held.delete(entry)) count(entry.owner, -entry.bytes)
  }

  function add(entry: Entry): void {
    entry.since = clock.monotonic()
    held.add(entry)
    count(entry.owner, entry.bytes)
  }

  function count(owner: string | null, more: number): void {
    bytes += more
    if (owner === null) return
    const now = (owned.get(owner) ?? 0) + more
    if (now > 0) owned.set(owner, now)
    else owned.delete(owner)
  }

  function hasRoom(owner: string | null): boolean {
    if (bytes >= mostBytes) return false
    return owner === null || (owned.get(owner) ?? 0) < mostBytes / ownersPart
  }

  /** Cuts answers whose receivers stall, those first that have stalled longest. */
  function makeRoom(owner: string | null): void {
    const now = clock.monotonic()
    for (const entry of held) {
      if (hasRoom(owner) || now - entry.since < pressedStallMs) return
      // Where only the owner's part is full, nobody else's answers are in the way.
      if (bytes >= mostBytes || entry.owner === owner) cut(entry, 'no_room')
    }
  }

  function moment(): Promise<void> {
    return new Promise((resolve) => {
      clock.after(lookEveryMs, resolve)
    })
  }

  return {
    async turn(of, owner = null) {
      for (;;) {
        const leave = await gates[of]()
        makeRoom(owner)
        if (hasRoom(owner)) return leave
        // Others come to their turn meanwhile.
        leave()
        await moment()
      }
    },
    hold(end, owner = null) {
      const entry: Entry = { owner, bytes: 0, since: clock.monotonic(), cut: end }
      return {
        holds(now) {
          drop(entry)
          entry.bytes = now
          add(entry)
        },
        progressed() {
          drop(entry)
          add(entry)
        },
        end: () => drop(entry),
      }
    },
    expectProgress(end) {
      return clock.after(stallMs, () => {
        observer.event('http.answer_cut', { reason: 'stalled' })
        end()
      })
    },
  }
}

/** Lets so many in at a time, in their order; the answer lets the next one in. */
function createGate(most: number): () => Promise<() => void> {
  const waiting: (() => void)[] = []
  let inside = 0

  return async () => {
    if (inside < most) inside++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    let left = false
    return () => {
      if (left) return
      left = true
      const next = waiting.shift()
      if (next) next()
      else inside--
    }
  }
}
