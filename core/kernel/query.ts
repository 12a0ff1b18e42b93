import type { Check, Collection, Found, Key, Read, Versioned } from '../base/ports/store.ts'
import { get, inTurn, one } from './ledger/reads.ts'
import type { Refusal, RefusalCode, Result } from './ledger/refusal.ts'

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
  readonly refusal: Refusal<Code>

  constructor(code: Code, detail: string, more: Omit<Refusal, 'code' | 'detail'> = {}) {
    this.refusal = { code, detail, ...more }
  }
}

/** A result of a function that knows no queries, as the answer of one. */
export function fromResult<T, Code extends RefusalCode>(
  result: Result<T, Code>,
): T | Refused<Code> {
  if (result.ok) return result.value
  const { code, detail, ...more } = result.refusal
  return new Refused(code, detail, more)
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

/** The row under a key without its sealed members (`Text`), which stay as they are, or null; a check of the commit too. */
export function rowWithoutTexts<Row extends object, Text extends keyof Row>(
  collection: Collection<Row>,
  key: Key,
): Query<Versioned<Omit<Row, Text>> | null> {
  const { of, checks } = rowUnder(collection, key)
  const read: Read = { get: collection.name, key, withoutTexts: true }
  return { reads: [read], of, checks }
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

/** As a query, which refuses where there is no such row; `what` names it: 'webhook', say. */
export function orNotFound<T, C extends RefusalCode>(
  query: Query<T | null, C>,
  what: string,
): Query<T, C | 'not_found'> {
  return mapped(query, (row) => row ?? new Refused('not_found', `no such ${what}`))
}

/** A query of other reads than those of tables: lists, counters, logs. None of its answers is a check of the commit. */
export function queryOf<T, Code extends RefusalCode = never>(
  reads: readonly Read[],
  of: (found: readonly Found[]) => T | Refused<Code>,
): Query<T, Code> {
  return { reads, of, checks: () => [] }
}

/** The answer to one read as it was found. */
export function foundBy(read: Read): Query<Found | undefined> {
  return queryOf([read], ([found]) => found)
}

/** A query that reads nothing. */
export function answered<T>(value: T): Query<T> {
  return { reads: [], of: () => value, checks: () => [] }
}

type CodeOf<Q> = Q extends Query<infer _T, infer Code> ? Code : never

/** Several queries as one, whose answer has theirs by their names; it refuses as the first of them that does. */
export function together<const Q extends Readonly<Record<string, AnyQuery<RefusalCode>>>>(
  queries: Q,
): Query<Answers<Q>, CodeOf<Q[keyof Q]>> {
  const parts = Object.entries(queries)
  const dealt = <A>(
    found: readonly Found[],
    of: (name: string, query: AnyQuery<RefusalCode>, own: readonly Found[]) => A,
  ) => {
    const next = inTurn(found)
    return parts.map(([name, query]) => of(name, query, next(query.reads.length)))
  }
  return {
    reads: parts.flatMap(([, { reads }]) => reads),
    of(found) {
      const answers = dealt(found, (name, query, own) => [name, query.of(own)] as const)
      const refused = answers.find(([, answer]) => answer instanceof Refused)
      return refused
        ? (refused[1] as Refused<CodeOf<Q[keyof Q]>>)
        : (Object.fromEntries(answers) as Answers<Q>)
    },
    checks: (found) => dealt(found, (_, query, own) => query.checks(own)).flat(),
  }
}

/** As a query, but a change of its rows before the commit changes nothing for the operation, for the reason given. */
export function peek<T, C extends RefusalCode>(query: Query<T, C>, _because: string): Query<T, C> {
  return { ...query, checks: () => [] }
}

/** What a unit of work outside an operation reads, in one round trip. Its checks are up to whoever relies on it. */
export async function askedOf<const Q extends Readonly<Record<string, AnyQuery<never>>>>(
  unit: { read(reads: readonly Read[]): Promise<readonly Found[]> },
  queries: Q,
): Promise<Answers<Q>> {
  const query = together(queries)
  return query.of(await unit.read(query.reads)) as Answers<Q>
}
