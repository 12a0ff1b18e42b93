import type { Sealer } from '../../base/ports/secrets.ts'
import type { Key } from '../../base/ports/store.ts'
import { answer, commit, type Ledger } from '../ledger/ledger.ts'
import { keyIn, pageAfter } from '../ledger/pages.ts'
import { put } from '../ledger/reads.ts'
import type { SealedMembers } from './sealed-members.ts'

export interface Walked {
  readonly values: number
  readonly complete: boolean
}

interface Slice {
  readonly values: number
  /** Null when these were the last. */
  readonly after: Key | null
}

/** Rows in one commit, by default; a case may hold megabytes. */
const sliceRows = 25

/** Walks all rows that can hold sealed values once and reseals those under a previous key. */
export function createWalk(deps: {
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly sealed: readonly SealedMembers[]
  readonly take?: number
}): (stopped: () => boolean) => Promise<Walked> {
  const { ledger, sealer, sealed, take = sliceRows } = deps

  function changed(members: SealedMembers, row: Record<string, unknown>) {
    let values = 0
    const change = (value: Uint8Array, context: string): Uint8Array => {
      if (sealer.isCurrent(value)) return value
      values++
      return sealer.seal(sealer.open(value, context), context)
    }
    return { row: members.map(row, change), count: () => values }
  }

  /** Null when the rows kept changing. */
  async function slice(members: SealedMembers, after: Key | null): Promise<Slice | null> {
    const { collection, where = [] } = members
    const done = await ledger.execute<Slice>(null, async (unit) => {
      const page = await pageAfter(unit, collection, { where, after, take })
      let values = 0
      const puts = page.flatMap((was) => {
        const { row, count } = changed(members, was.row)
        values += count()
        return count() === 0 ? [] : [put(collection, row, was)]
      })
      const last = page.at(-1)
      const next = last && page.length === take ? keyIn(collection, last.row) : null
      return puts.length === 0
        ? answer({ values, after: next })
        : commit({ puts }, { values, after: next })
    })
    return done.ok ? done.value : null
  }

  return async (stopped) => {
    let values = 0
    for (const members of sealed) {
      let after: Key | null = null
      for (let more = true; more; ) {
        if (stopped()) return { values, complete: false }
        const done: Slice | null = await slice(members, after)
        if (!done) continue
        values += done.values
        after = done.after
        more = after !== null
      }
    }
    return { values, complete: true }
  }
}
