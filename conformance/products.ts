/** What a suite opens and closes for its tests. */
interface Closable {
  close(): Promise<void>
}

/** One product as a test holds it; a restart replaces it. */
export interface Held<T> {
  one: T
}

/** Products for tests: a new one for each, or, where one can be emptied, the same one for all. */
export interface Products<T> {
  use(run: (held: Held<T>) => Promise<void>): Promise<void>
  /** Closes what is kept for the next test. */
  end(): Promise<void>
}

export function createProducts<T extends Closable>(
  create: () => Promise<T>,
  reset: ((one: T) => Promise<void>) | undefined,
): Products<T> {
  let kept: T | null = null
  let last: Promise<unknown> = Promise.resolve()

  async function fresh(run: (held: Held<T>) => Promise<void>): Promise<void> {
    const held = { one: await create() }
    try {
      await run(held)
    } finally {
      await held.one.close()
    }
  }

  async function shared(empty: (one: T) => Promise<void>, run: (held: Held<T>) => Promise<void>) {
    const held = { one: kept ?? (await create()) }
    if (kept) await empty(kept)
    kept = null
    try {
      await run(held)
    } catch (error) {
      // Whatever failed there is not handed to the next test.
      await held.one.close()
      throw error
    }
    kept = held.one
  }

  return {
    use(run) {
      if (!reset) return fresh(run)
      // A runner may start tests at once; they take turns on the one that there is.
      const turn = last.then(() => shared(reset, run))
      last = turn.catch(() => {})
      return turn
    },
    async end() {
      await last
      const one = kept
      kept = null
      await one?.close()
    },
  }
}
