import type { Check, Found, Key, Read } from '../base/ports/store.ts'
import { rowId } from '../base/store-kit/key-of.ts'
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

/** Whether a read leaves members of its row out, so that it does not answer for the whole. */
const isPart = (read: Read | undefined): boolean => read !== undefined && 'withoutTexts' in read

type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>

export function createMemory(readStore: Reader): Memory {
  const rows = new Map<string, Found>()
  const early = new Map<string, Found>()
  const checks = new Map<string, Check>()

  async function read(reads: readonly Read[]): Promise<readonly Found[]> {
    const ids = reads.map((one) => ('get' in one ? rowId(one.get, one.key) : null))
    const answers = reads.map((one, at) => {
      const id = ids[at] as string | null
      if (id !== null) return rows.get(id)
      return early.size > 0 ? early.get(JSON.stringify(one)) : undefined
    })
    const missing = reads.filter((_, at) => !answers[at])
    if (missing.length === 0) return answers as Found[]
    const came = await readStore(missing)
    let next = 0
    for (let at = 0; at < reads.length; at++) {
      if (answers[at]) continue
      const found = came[next++] as Found
      const id = ids[at] as string | null
      answers[at] = found
      if (id !== null && !isPart(reads[at])) rows.set(id, found)
    }
    return answers as Found[]
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
        for (const check of query.checks(own)) {
          const id = rowId(check.in, check.key)
          // The first: a row that was read without its texts and then whole must still be what it was the first time.
          if (!checks.has(id)) checks.set(id, check)
        }
        const answer = query.of(own)
        if (answer instanceof Refused) throw new Refusing(answer.refusal)
        answers[name] = answer
      }
      return answers as Answers<typeof queries>
    },
    checksWithout(written) {
      const left = new Map(checks)
      for (const { in: table, key } of written) left.delete(rowId(table, key))
      return [...left.values()]
    },
  }
}
