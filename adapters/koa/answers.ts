import type { Clock, Observer } from '@countersign/core/ports'

/** Bounds what answers hold in memory, for all apps of a process together. */
export interface Answers {
  /** Waits for a turn to read what an answer will have in it, and for room to hold it; ends the turn when called. */
  turn(): Promise<() => void>
  /** Notes an answer that waits for its receiver; `cut` ends it, which is told to the observer. */
  hold(cut: () => void): Held
  /** Calls `cut` unless the receiver takes something in time; cancels when called. */
  expectProgress(cut: () => void): () => void
}

/** An answer of which a part is in memory. */
export interface Held {
  /** What it holds now, after its receiver took something of it. */
  moved(bytes: number): void
  end(): void
}

export interface AnswersOptions {
  readonly clock?: Pick<Clock, 'monotonic' | 'after'>
  readonly observer: Observer
  /** Bytes that answers hold together before those that stall are cut (default 32 MiB). */
  readonly mostBytes?: number
  /** How long a receiver may take nothing (default 30 s). */
  readonly stallMs?: number
}

/** Answers that are read from the store at a time: reading and encoding hold the event loop. */
const mostTurns = 4
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

interface Entry {
  bytes: number
  since: number
  readonly cut: () => void
}

export function createAnswers(options: AnswersOptions): Answers {
  const { clock = systemClock, observer, mostBytes = 32 * 1024 * 1024, stallMs = 30_000 } = options
  /** In the order of their last progress. */
  const held = new Set<Entry>()
  const waiting: (() => void)[] = []
  let bytes = 0
  let turns = 0

  function cut(entry: Entry, reason: string): void {
    drop(entry)
    observer.event('http.answer_cut', { reason, bytes: entry.bytes })
    entry.cut()
  }

  function drop(entry: Entry): void {
    if (held.delete(entry)) bytes -= entry.bytes
  }

  /** Cuts answers whose receivers stall, those first that have stalled longest. */
  function makeRoom(): void {
    const now = clock.monotonic()
    for (const entry of held) {
      if (bytes < mostBytes || now - entry.since < pressedStallMs) return
      cut(entry, 'no_room')
    }
  }

  async function room(): Promise<void> {
    for (makeRoom(); bytes >= mostBytes; makeRoom())
      await new Promise<void>((resolve) => {
        clock.after(lookEveryMs, resolve)
      })
  }

  function leave(): void {
    turns--
    waiting.shift()?.()
  }

  return {
    async turn() {
      while (turns >= mostTurns) await new Promise<void>((resolve) => waiting.push(resolve))
      turns++
      await room()
      let left = false
      return () => {
        if (!left) leave()
        left = true
      }
    },
    hold(end) {
      const entry: Entry = { bytes: 0, since: clock.monotonic(), cut: end }
      return {
        moved(now) {
          drop(entry)
          entry.bytes = now
          entry.since = clock.monotonic()
          held.add(entry)
          bytes += now
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
