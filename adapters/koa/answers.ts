import type { Clock, Observer } from '@countersign/core/ports'
import { createFairGate, type Owner } from './fair-gate.ts'

/** What is to be read: a call's answer, the answer of a call that changes something, or several rows of a list. */
export type TurnKind = 'call' | 'change' | 'piece'

/** Bounds what answers hold in memory, for all apps of a process together. */
export interface Answers {
  /**
   * Waits for a turn to read what an answer will have in it, and for room to hold it; ends the turn when called. Owners
   * take turns, and each has a quarter of the room. Null after `waitMs` (default 10 s).
   */
  turn(of: 'call' | 'change', owner?: Owner): Promise<(() => void) | null>
  /** Of a list that is being written: waits as long as it takes. */
  turn(of: 'piece', owner?: Owner): Promise<() => void>
  /** Notes an answer that waits for its receiver; `cut` ends it, which is told to the observer. */
  hold(cut: () => void, owner?: Owner): Held
  /** Calls `cut` unless the receiver takes something in time; cancels when called. */
  expectProgress(cut: () => void): () => void
}

/** An answer of which a part is in memory. */
export interface Held {
  /** What it holds from now on; nothing once it has ended. */
  holds(bytes: number): void
  /** Its receiver took something. */
  progressed(): void
  end(): void
  /** Whether it was ended or cut. */
  readonly ended: boolean
}

/** Bounds of `createAnswers`. */
export interface AnswersOptions {
  readonly clock?: Pick<Clock, 'monotonic' | 'after'>
  readonly observer: Observer
  /** Bytes that answers hold together before those that stall are cut (default 32 MiB). */
  readonly mostBytes?: number
  /** How long a receiver may take nothing (default 30 s). */
  readonly stallMs?: number
  /** How long a call may wait for its turn (default 10 s). */
  readonly waitMs?: number
}

/**
 * Turns at once: what they read is in memory, and encoding it holds the event loop. Changes wait for room alone, since
 * those that commit together share a sync.
 */
const mostTurns = { call: 8, change: Number.POSITIVE_INFINITY, piece: 1 } as const
/** While others wait for room, a receiver may take nothing for so long. */
const pressedStallMs = 1_000
/**
 * After a piece the loop is left to others for as long as the piece took, at most so long: it accepts one connection and
 * starts one read of the store per iteration, so that pieces one after another would delay those by a piece each.
 */
const longestRestMs = 100
const lookEveryMs = 100
/** Of the room, at most; null owns nothing, and no part is too much for it. */
const ownersPart = 4

const systemClock: Pick<Clock, 'monotonic' | 'after'> = {
  monotonic: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

interface Entry {
  readonly owner: Owner
  bytes: number
  since: number
  ended: boolean
  readonly cut: () => void
}

/** Bounds what the answers of a process hold in memory together, and cuts those whose receivers stall. */
export function createAnswers(options: AnswersOptions): Answers {
  const { clock = systemClock, observer, mostBytes = 32 * 1024 * 1024 } = options
  const { stallMs = 30_000, waitMs = 10_000 } = options
  /** In the order of their last progress. */
  const held = new Set<Entry>()
  const owned = new Map<string, number>()
  const gates = {
    call: createFairGate(mostTurns.call, hasRoom),
    change: createFairGate(mostTurns.change, hasRoom),
    piece: createFairGate(mostTurns.piece, hasRoom),
  }
  const allGates = Object.values(gates)
  let bytes = 0
  let stopLooking: (() => void) | null = null

  function bytesOf(owner: Owner): number {
    return owner === null ? 0 : (owned.get(owner) ?? 0)
  }

  function hasRoom(owner: Owner): boolean {
    const own = bytesOf(owner)
    // Who holds nothing is never kept waiting by others; `shed` bounds what that brings.
    const isNew = owner !== null && own === 0
    return (bytes < mostBytes || isNew) && own < mostBytes / ownersPart
  }

  function cut(entry: Entry, reason: 'no_room'): void {
    const held = entry.bytes
    end(entry)
    observer.event('http.answer_cut', { reason, bytes: held })
    entry.cut()
  }

  function end(entry: Entry): void {
    entry.ended = true
    held.delete(entry)
    count(entry, 0)
    admit()
  }

  function count(entry: Entry, now: number): void {
    const more = now - entry.bytes
    entry.bytes = now
    bytes += more
    if (entry.owner === null || more === 0) return
    const all = bytesOf(entry.owner) + more
    if (all > 0) owned.set(entry.owner, all)
    else owned.delete(entry.owner)
  }

  function progressed(entry: Entry): void {
    entry.since = clock.monotonic()
    held.delete(entry)
    held.add(entry)
  }

  /** Cuts answers whose receivers stall, those first that have stalled longest. */
  function makeRoom(owner: Owner): void {
    const now = clock.monotonic()
    for (const entry of held) {
      if (hasRoom(owner) || now - entry.since < pressedStallMs) return
      // Where only the owner's part is full, nobody else's answers are in the way.
      const inTheWay = bytes >= mostBytes || entry.owner === owner
      if (inTheWay && entry.bytes > 0) cut(entry, 'no_room')
    }
  }

  /**
   * What many calls at once bring is known only afterwards. One owner's answers never hold more than the whole room, nor
   * all together twice as much: the one that stalls longest is cut, however short that was.
   */
  function shed(newest: Entry): void {
    for (const entry of held) {
      const ownersExcess = bytesOf(newest.owner) > mostBytes
      if (!ownersExcess && bytes <= 2 * mostBytes) return
      const inTheWay = !ownersExcess || entry.owner === newest.owner
      if (inTheWay && entry.bytes > 0 && entry !== newest) cut(entry, 'no_room')
    }
  }

  function admit(): void {
    for (const gate of allGates) gate.admit()
    if (allGates.every((gate) => gate.size === 0)) {
      stopLooking?.()
      stopLooking = null
    } else stopLooking ??= clock.after(lookEveryMs, look)
  }

  function owners(): readonly Owner[] {
    return allGates.flatMap((gate) => [...gate.waiting()])
  }

  function look(): void {
    stopLooking = null
    for (const owner of owners()) makeRoom(owner)
    for (const gate of allGates) gate.expire(clock.monotonic())
    admit()
  }

  function turn(of: TurnKind, owner: Owner = null): Promise<(() => void) | null> {
    makeRoom(owner)
    const until = of === 'piece' ? Number.POSITIVE_INFINITY : clock.monotonic() + waitMs
    const entered = gates[of].enter(owner, until)
    admit()
    return of === 'piece' ? entered.then(resting) : entered
  }

  /** A turn that ends with a rest as long as it was. */
  function resting(leave: (() => void) | null): () => void {
    const began = clock.monotonic()
    return () => {
      const restMs = Math.min(clock.monotonic() - began, longestRestMs)
      if (restMs >= 1) clock.after(restMs, () => leave?.())
      else leave?.()
    }
  }

  return {
    // Only a turn that may expire is null.
    turn: turn as Answers['turn'],
    hold(cutNow, owner = null) {
      const entry: Entry = { owner, bytes: 0, since: clock.monotonic(), ended: false, cut: cutNow }
      held.add(entry)
      return {
        holds(now) {
          if (entry.ended) return
          count(entry, now)
          progressed(entry)
          shed(entry)
          admit()
        },
        progressed() {
          if (!entry.ended) progressed(entry)
        },
        end: () => end(entry),
        get ended() {
          return entry.ended
        },
      }
    },
    expectProgress(cutNow) {
      return clock.after(stallMs, () => {
        observer.event('http.answer_cut', { reason: 'stalled', bytes: null })
        cutNow()
      })
    },
  }
}
