import { commit } from '../../kernel/ledger/ledger.ts'
import { get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { unwrap } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { type FailedTries, failedTries, type ThrottledTries } from '../access/records.ts'
import { createLoginThrottle, type LoginThrottle, type ThrottleCapacity } from './login-throttle.ts'

/** Between two writes of one key. */
const betweenWritesMs = 1_000
/** Rows of one read or commit. */
const pieceOf = 500

/** Keys that are remembered, 100,000 in all. */
export const throttleCapacities: Readonly<Record<ThrottledTries, ThrottleCapacity>> = {
  logins: { strangers: 60_000, devices: 20_000 },
  resets: { strangers: 15_000, devices: 5_000 },
}

/** A throttle whose failures a restart does not forget. */
export interface StoredThrottle {
  /** The throttle, once the stored failures were read. */
  opened(): Promise<LoginThrottle>
  /** Writes what has changed since the last write, and later nothing; waits for it for at most `withinMs`. */
  drain(withinMs: number): Promise<void>
}

/**
 * Counts in memory and writes what changed a second later, so that any number of failures within a second is one write
 * of their key, and a crash forgets those of its last second. Keys that the throttle forgets are removed in the commit
 * that adds others or in one before it: the store never holds more keys than the throttle.
 */
export function createStoredThrottle(
  { ledger, clock }: Pick<AccessDeps, 'ledger' | 'clock'>,
  tries: ThrottledTries,
  capacity: ThrottleCapacity = throttleCapacities[tries],
): StoredThrottle {
  const throttle = createLoginThrottle(capacity, changed)
  let unwritten = new Set<string>()
  let reading: Promise<void> | null = null
  let writing: Promise<void> = Promise.resolve()
  let isWaiting = false
  let isDrained = false

  /** Wall time less the clock that throttles; rows outlive the latter. */
  const offset = () => clock.now() - clock.monotonic()

  async function read(): Promise<void> {
    const rows: FailedTries[] = []
    for (let after: string | null = ''; after !== null; ) {
      const [found] = await ledger.read(null, [
        list(failedTries, {
          where: [
            ['tries', '=', tries],
            ['key', '>', after],
          ],
          take: pieceOf,
        }),
      ])
      const piece = many(failedTries, found).map(({ row }) => row)
      rows.push(...piece)
      after = piece.length === pieceOf ? (piece.at(-1)?.key ?? null) : null
    }
    const now = clock.monotonic()
    // A clock that ran ahead makes nobody wait for longer than a failure of now.
    const counted = ({ count, lastAt }: FailedTries) => ({
      count,
      lastAt: Math.min(now, lastAt - offset()),
    })
    rows.sort((one, other) => one.lastAt - other.lastAt)
    throttle.restore(rows.map((row) => [row.key, counted(row)]))
  }

  function rowOf(key: string): FailedTries | null {
    const failures = throttle.failuresOf(key)
    return (
      failures && {
        tries,
        key,
        count: failures.count,
        lastAt: Math.round(failures.lastAt + offset()),
      }
    )
  }

  /** Throws where the store failed, or the rows kept changing. */
  async function commitOf(keys: readonly string[]): Promise<void> {
    const done = await ledger.execute<null>(null, async ({ read }) => {
      const found = await read(keys.map((key) => get(failedTries, [tries, key])))
      const all = keys.map((key, at) => ({
        key,
        row: rowOf(key),
        was: one(failedTries, found[at]),
      }))
      return commit(
        {
          removes: all.flatMap(({ key, row, was }) =>
            row === null && was
              ? [{ in: failedTries.name, key: [tries, key], version: was.version }]
              : [],
          ),
          puts: all.flatMap(({ row, was }) => (row ? [put(failedTries, row, was)] : [])),
        },
        null,
      )
    })
    unwrap(done)
  }

  async function writeChanged(): Promise<void> {
    const gone = (key: string) => throttle.failuresOf(key) === null
    const keys = [...unwritten].sort((one, other) => Number(gone(other)) - Number(gone(one)))
    unwritten = new Set()
    for (let at = 0; at < keys.length; at += pieceOf) {
      const piece = keys.slice(at, at + pieceOf)
      try {
        await commitOf(piece)
      } catch {
        // Written with the next ones.
        for (const key of piece) unwritten.add(key)
      }
    }
  }

  function write(): Promise<void> {
    writing = writing.then(writeChanged)
    return writing
  }

  function schedule(): void {
    if (isWaiting || isDrained || unwritten.size === 0) return
    isWaiting = true
    clock.after(betweenWritesMs, () => {
      void write().then(() => {
        isWaiting = false
        schedule()
      })
    })
  }

  function changed(key: string): void {
    unwritten.add(key)
    schedule()
  }

  return {
    async opened() {
      reading ??= read().catch((error: unknown) => {
        reading = null
        throw error
      })
      await reading
      return throttle
    },
    async drain(withinMs) {
      isDrained = true
      let cancel = () => {}
      const patience = new Promise<void>((resolve) => {
        cancel = clock.after(withinMs, resolve)
      })
      await Promise.race([patience, write()])
      cancel()
    },
  }
}
