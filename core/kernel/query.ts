import { get, one } from '../ledger/reads.ts'
import type { Refusal, RefusalCode } from '../ledger/refusal.ts'
import type { Check, Collection, Found, Key, Read, Versioned } from '../ports/store.ts'

/**
 * A question to the store together with the meaning of its answer. `Code`: the codes with which the answer may refuse
 * the operation that asked.
 */
export interface Query<T, Code extends RefusalCode = never> {
  readonly reads: readonly Read[]
  /** Of the answers to `reads`, in their order. */
  readonly of: (found: readonly Found[]) => T | Refused<Code>
  /** The facts in these answers that a commit must still meet. */
  readonly checks: (found: readonly Found[]) => readonly Check[]
}

/** The refusal of an operation, or of a query that it asks. */
export class Refused<Code extends RefusalCode> {
  readonly refusal: Refusal & { readonly code: Code }

  constructor(code: Code, detail: string, more: Omit<Refusal, 'code' | 'detail'> = {}) {
    this.refusal = { code, detail, ...more }
  }
}

export type AnyQuery<Code extends RefusalCode> = Query<unknown, Code>
/** The answers to several queries, by their names. */
export type Answers<Q> = {
  readonly [Name in keyof Q]: Q[Name] extends Query<infer T, infer _Code> ? T : never
}

/** The row under a key, or null. Whichever was found is a check of the commit. */
export function rowUnder<Row extends object>(
  collection: Collection<Row>,
  key: Key,
): Query<Versioned<Row> | null> {
  return {
    reads: [get(collection, key)],
    of: ([found]) => one(collection, found),
    checks: ([found]) => [
      { in: collection.name, key, version: one(collection, found)?.version ?? 0 },
    ],
  }
}

/** A query whose answer is made of another's. */
export function mapped<A, B, C extends RefusalCode, D extends RefusalCode = never>(
  query: Query<A, C>,
  of: (answer: A) => B | Refused<D>,
): Query<B, C | D> {
  return {
    ...query,
    of: (found) => {
      const answer = query.of(found)
      return answer instanceof Refused ? answer : of(answer)
    },
  }
}

/** A query that reads nothing. */
export function answered<T>(value: T): Query<T> {
  return { reads: [], of: () => value, checks: () => [] }
}

/** As a query, but a change of its rows before the commit changes nothing for the operation, for the reason given. */
export function peek<T, C extends RefusalCode>(query: Query<T, C>, _because: string): Query<T, C> {
  return { ...query, checks: () => [] }
}
