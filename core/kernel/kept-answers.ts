/** What decides whether an answer that was made before still holds. */
export interface Seen {
  /** As `changesIn` answers, read before what the answer tells. */
  readonly changes: string
  /** Ms since the epoch. */
  readonly now: number
}

/** An answer, and the time from which it no longer holds though nothing was written, ms; 0: it is not kept. */
export interface Timed<T> {
  readonly answer: T
  readonly until: number
}

/** Answers that many ask for again and again, each made once while nothing changes that it tells. */
export interface KeptAnswers {
  /**
   * The answer under a key that holds still, or the one that `make` makes; those who ask meanwhile wait for it. `rows`:
   * how many it has at most.
   */
  of<T>(
    key: readonly unknown[],
    seen: Seen,
    make: () => Promise<Timed<T>>,
    rows?: number,
  ): Promise<T>
}

/** Rows that are kept at most, of all answers together; those go that were made longest ago. */
const mostRows = 10_000
/** For so long an answer is kept: no longer than that a text is in memory that was erased meanwhile, ms. */
const keptMs = 60_000

interface Kept {
  readonly changes: string
  readonly from: number
  readonly rows: number
  readonly made: Promise<Timed<unknown>>
}

/** Answers in the memory of this process. Keys name the organization. */
export function createKeptAnswers(most: number = mostRows): KeptAnswers {
  const all = new Map<string, Kept>()
  let held = 0

  function drop(key: string): void {
    held -= all.get(key)?.rows ?? 0
    all.delete(key)
  }

  function keep(key: string, kept: Kept): void {
    drop(key)
    all.set(key, kept)
    held += kept.rows
    for (const [name, { from }] of all)
      if (name !== key && (held > most || Math.abs(kept.from - from) >= keptMs)) drop(name)
  }

  return {
    async of<T>(
      key: readonly unknown[],
      { changes, now }: Seen,
      make: () => Promise<Timed<T>>,
      rows = 1,
    ) {
      const name = JSON.stringify(key)
      let known = all.get(name)
      while (known?.changes === changes && known.from <= now) {
        const { answer, until } = await known.made
        if (now < Math.min(until, known.from + keptMs)) return answer as T
        // Others found the same, and one of them has made another.
        const other = all.get(name)
        known = other === known ? undefined : other
      }
      const kept: Kept = { changes, from: now, rows, made: make() }
      keep(name, kept)
      let holds = false
      try {
        const { answer, until } = (await kept.made) as Timed<T>
        holds = now < until
        return answer
      } finally {
        if (!holds && all.get(name) === kept) drop(name)
      }
    },
  }
}
