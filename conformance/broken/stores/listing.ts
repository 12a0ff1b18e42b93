import type { Collection, Found, Read, Value, Versioned, Where } from '@countersign/core/ports'
import { compareValues, matches } from '../../store/order.ts'
import type { Change } from './host.ts'
import { wholeOf } from './wrap.ts'

export type Row = Readonly<Record<string, Value>>
type List = Extract<Read, { readonly list: string }>
export type Compare = (a: Value, b: Value) => number

interface ListFaults {
  readonly compare?: Compare
  /** Columns that order the rows of a list. */
  readonly order?: (columns: readonly string[], read: List) => readonly string[]
  readonly matches?: (row: Row, where: Where) => boolean
  /** Whether rows that are equal in the index come in key order also backwards. */
  readonly tiesForward?: boolean
}

/** Lists that are put in order by the store itself, over the rows of the sound one. */
export const listing =
  ({
    compare = compareValues,
    order = (columns) => columns,
    tiesForward,
    ...faults
  }: ListFaults): Change =>
  (store, { declared }) => {
    const select = faults.matches ?? matches
    const columnsOf = (of: Collection, { by }: List) =>
      by === 'key' ? [] : [...(of.indexes[by] ?? [])]
    const list = async (tenant: string | null, read: List, found: Found): Promise<Found> => {
      const of = declared.collections.find(({ name }) => name === read.list)
      if (!of) return found
      const rows = (await wholeOf(store, tenant, read.list)).filter(({ row }) =>
        select(row as Row, read.where),
      )
      const direction = read.newest ? -1 : 1
      const index = order(columnsOf(of, read), read)
      const keys = order([...of.key], read)
      const by = (columns: readonly string[]) => (a: Versioned, b: Versioned) => {
        for (const column of columns) {
          const way = compare((a.row as Row)[column] ?? null, (b.row as Row)[column] ?? null)
          if (way !== 0) return way
        }
        return 0
      }
      rows.sort(
        (a, b) => by(index)(a, b) * direction || by(keys)(a, b) * (tiesForward ? 1 : direction),
      )
      const page = rows.slice(read.skip, read.skip + read.take)
      if (read.count === false) return { rows: page, total: null }
      const most = read.count === true ? rows.length : read.count
      return { rows: page, total: Math.min(rows.length, most) }
    }
    return {
      async read(tenant, reads) {
        const found = await store.read(tenant, reads)
        return Promise.all(
          reads.map(async (read, at): Promise<Found> => {
            const told = found[at] ?? { rows: [], total: null }
            return 'list' in read ? list(tenant, read, told) : told
          }),
        )
      },
    }
  }
