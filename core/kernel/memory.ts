import type { Check, Found, Key, Read } from '../base/ports/store.ts'
import { inTurn } from './ledger/reads.ts'
import type { Refusal, RefusalCode } from './ledger/refusal.ts'
import type { Answers, AnyQuery } from './query.ts'
import { Refused } from './query.ts'

/** Thrown by an operation that refuses, and caught by whoever runs it; no caller of the service meets it. */
export class Refusing {
  readonly refusal: Refusal
  /** What was collected is committed all the same. */
  readonly records: boolean

  constructor(refusal: Refusal, records = false) {
    this.refusal = refusal
    this.records = records
  }
}

/** Reads of a unit of work. A row that was read by its key is remembered, so that all that follows sees the same one. */
export interface Memory {
  /** `ahead`: reads whose answers it brings along, and `read` then has. */
  ask<const Q extends Readonly<Record<string, AnyQuery<RefusalCode>>>>(
    queries: Q,
    ahead?: readonly Read[],
  ): Promise<Answers<Q>>
  /** The answers to reads that are no facts of the decision. */
  read(reads: readonly Read[]): Promise<readonly Found[]>
  /** What a commit must still find as it was, but for the rows under these keys. */
  checksWithout(written: Iterable<{ readonly in: string; readonly key: Key }>): readonly Check[]
}

type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>

export function createMemory(readStore: Reader): Memory {
  const rows = new Map<string, Found>()
  const early = new Map<string, Found>()
  const checks = new Map<string, Check>()

  function known(one: Read): Found | undefined {
    if ('get' in one) return rows.get(rowOf(one.get, one.key))
    return early.size > 0 ? early.get(JSON.stringify(one)) : undefined
  }

  async function read(reads: readonly Read[]): Promise<readonly Found[]> {
    const missing = reads.filter((one) => !known(one))
    const came = missing.length > 0 ? await readStore(missing) : []
    const answers = new Map(missing.map((one, at) => [one, came[at] as Found]))
    for (const [one, found] of answers) if ('get' in one) rows.set(rowOf(one.get, one.key), found)
    return reads.map((one) => answers.get(one) ?? (known(one) as Found))
  }

  return {
    read,
    async ask(queries, ahead = []) {
      const asked = Object.entries(queries)
      const reads = asked.flatMap(([, query]) => query.reads)
      const found = await read([...reads, ...ahead])
      for (const [at, one] of ahead.entries())
        if (!('get' in one)) early.set(JSON.stringify(one), found[reads.length + at] as Found)
      const next = inTurn(found)
      const answers: Record<string, unknown> = {}
      for (const [name, query] of asked) {
        const own = next(query.reads.length)
        for (const check of query.checks(own)) checks.set(rowOf(check.in, check.key), check)
        const answer = query.of(own)
        if (answer instanceof Refused) throw new Refusing(answer.refusal)
        answers[name] = answer
      }
      return answers as Answers<typeof queries>
    },
    checksWithout(written) {
      const left = new Map(checks)
      for (const { in: table, key } of written) left.delete(rowOf(table, key))
      return [...left.values()]
    },
  }
}

function rowOf(table: string, key: Key): string {
  return JSON.stringify([table, ...key])
}
