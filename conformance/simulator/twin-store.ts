import type { Store } from '@countersign/core/ports'
import { same } from '../same.ts'

/** A store that asks two others the same, one call after another, and answers what the second does. */
export interface TwinStore extends Store {
  /** Resolves once none of its calls is under way; null where none is. */
  readonly settled: () => Promise<void> | null
  /** Where the second answered other than the first: one line each. */
  readonly differences: readonly string[]
  /** Calls that both have answered. */
  readonly calls: number
}

type Ended<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

const ended = <T>(asked: Promise<T>): Promise<Ended<T>> =>
  asked.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  )

const shown = <T>(one: Ended<T>): string =>
  one.ok ? (JSON.stringify(one.value) ?? 'nothing') : String(one.error)

function isSame<T>(one: Ended<T>, other: Ended<T>): boolean {
  if (one.ok && other.ok) return same(one.value, other.value)
  return !one.ok && !other.ok && codeOf(one.error) === codeOf(other.error)
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : error

/**
 * Compares a store with a model of it in the traffic of a whole service. Its calls are made in the order in which they
 * were asked, each when the one before has been answered by both.
 */
export function twinStore(model: Store, store: Store): TwinStore {
  const differences: string[] = []
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let calls = 0

  async function ask<T>(what: () => string, call: (of: Store) => Promise<T>): Promise<T> {
    const [expected, found] = await Promise.all([ended(call(model)), ended(call(store))])
    calls++
    if (!isSame(expected, found))
      differences.push(`${what()}: expected ${shown(expected)}, got ${shown(found)}`)
    if (!found.ok) throw found.error
    return found.value
  }

  function inTurn<T>(what: () => string, call: (of: Store) => Promise<T>): Promise<T> {
    waiting++
    const made = last
      .then(() => ask(what, call))
      .finally(() => {
        waiting--
      })
    last = made.catch(() => {})
    return made
  }

  const told = (name: string, asked: unknown) => () => `${name} ${JSON.stringify(asked)}`
  return {
    read: (tenant, reads) => inTurn(told('read', [tenant, reads]), (of) => of.read(tenant, reads)),
    commit: (set) => inTurn(told('commit', set), (of) => of.commit(set)),
    lanes: (query) => inTurn(told('lanes', query), (of) => of.lanes(query)),
    nextDue: (query) => inTurn(told('nextDue', query), (of) => of.nextDue(query)),
    claim: (query) => inTurn(told('claim', query), (of) => of.claim(query)),
    scrub: () => inTurn(told('scrub', null), (of) => of.scrub()),
    close: () => inTurn(told('close', null), (of) => of.close()),
    settled: () =>
      waiting === 0
        ? null
        : (async () => {
            while (waiting > 0) await last
          })(),
    differences,
    get calls() {
      return calls
    },
  }
}
