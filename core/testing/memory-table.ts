import type { Collection, Key, Value, Versioned, Where } from '../base/ports/store.ts'
import { keyOf } from '../base/store-kit/key-of.ts'
import { compareValues } from './compare.ts'
import { createSortedList, type SortedList } from './sorted-list.ts'

type Row = Readonly<Record<string, Value>>

/** A row as the table holds it; never changed, only replaced. */
export interface Cell extends Versioned<Row> {
  readonly id: string
  readonly key: Key
  /** The columns, in the order in which the collection declares them. */
  readonly values: readonly Value[]
}

/** A sorted view of the rows by some columns, then by key. */
interface View {
  readonly on: readonly string[]
  readonly list: SortedList<Cell>
  holds(cell: Cell): boolean
}

/** Texts of keys hold no NUL. */
const cellId = (key: Key): string => (key.length === 1 ? String(key[0]) : key.join('\0'))

const never = () => false

const held = (holds: View['holds'], cell: Cell | undefined): Cell | undefined =>
  cell && holds(cell) ? cell : undefined

/** Rows of a collection, in the order of its key and of its indexes. */
export function createTable(collection: Collection) {
  const { queue, key } = collection
  const rows = new Map<string, Cell>()
  const columns = Object.keys(collection.columns)
  const places = new Map(columns.map((name, at) => [name, at]))
  const placeOf = (name: string): number => places.get(name) ?? -1
  const column = (cell: Cell, name: string): Value => cell.values[placeOf(name)] ?? null

  function compareOn(columns: readonly string[]): (a: Cell, b: Cell) => number {
    const compared = columns.map(placeOf)
    return (a, b) => {
      for (const place of compared) {
        const order = compareValues(a.values[place] ?? null, b.values[place] ?? null)
        if (order !== 0) return order
      }
      return 0
    }
  }

  function holds(cell: Cell, [name, is, value]: Where[number]): boolean {
    const found = column(cell, name)
    if (is === '=') return found === value
    if (found === null) return false
    const order = compareValues(found, value)
    if (is === '<') return order < 0
    if (is === '<=') return order <= 0
    return is === '>' ? order > 0 : order >= 0
  }

  const view = (on: readonly string[], takes: (cell: Cell) => boolean = () => true): View => ({
    on: [...on, ...key],
    list: createSortedList(compareOn([...on, ...key])),
    holds: takes,
  })

  const byKey = view([])
  const indexes = new Map(
    Object.entries(collection.indexes).map(([name, on]) => [name, view(on)] as const),
  )
  const uniques = Object.entries(collection.unique ?? {}).map(([name, rule]) => {
    const { on, when } = rule
    return {
      name,
      on,
      total: !when,
      view: view(on, when ? (cell) => column(cell, when.column) === when.is : undefined),
    }
  })
  const dueView = queue
    ? view([queue.lane, queue.due], (cell) => column(cell, queue.due) !== null)
    : undefined
  const ordered = [byKey, ...indexes.values()]
  const searchable = [...ordered, ...uniques.filter(({ total }) => total).map(({ view }) => view)]
  const every = [...ordered, ...uniques.map(({ view }) => view), ...(dueView ? [dueView] : [])]

  /** Entries of a view whose leading columns equal these values. */
  function* equal(from: View, values: readonly Value[]): Iterable<Cell> {
    const order = (cell: Cell): number => {
      for (const [at, value] of values.entries()) {
        const found = compareValues(column(cell, from.on[at] ?? ''), value)
        if (found !== 0) return found
      }
      return 0
    }
    for (const cell of from.list.from((cell) => order(cell) < 0)) {
      if (order(cell) !== 0) return
      yield cell
    }
  }

  /** How many leading columns of a view the conditions pin down. */
  function pinned(from: View, where: Where): number {
    let count = 0
    while (where.some(([name, is]) => is === '=' && name === from.on[count])) count++
    return count
  }

  /** The matching stretch of one view, in its order. */
  function* stretch(from: View, where: Where, newest: boolean, after?: Key): Iterable<Cell> {
    const count = pinned(from, where)
    const pins = from.on
      .slice(0, count)
      .map((name) => where.find(([on, is]) => on === name && is === '=')?.[2] ?? null)
    const next = from.on[count]
    const bounds = where.filter(([on, is]) => on === next && is !== '=')
    const side = (cell: Cell): number => {
      for (const [at, value] of pins.entries()) {
        const order = compareValues(column(cell, from.on[at] ?? ''), value)
        if (order !== 0) return order
      }
      for (const bound of bounds)
        if (!holds(cell, bound))
          return column(cell, bound[0]) === null || bound[1].startsWith('>') ? -1 : 1
      return 0
    }
    const tooEarly = (cell: Cell) =>
      side(cell) < 0 || (after !== undefined && from === byKey && compareKeys(cell.key, after) <= 0)
    const cells = newest ? from.list.backFrom((cell) => side(cell) > 0) : from.list.from(tooEarly)
    for (const cell of cells) {
      if (newest ? side(cell) < 0 : side(cell) > 0) return
      if (where.every((condition) => holds(cell, condition))) yield cell
    }
  }

  function compareKeys(a: Key, b: Key): number {
    for (const [at, value] of a.entries()) {
      const order = compareValues(value, b[at] ?? null)
      if (order !== 0) return order
    }
    return 0
  }

  return {
    collection,
    /** A row as this table would hold it. */
    cell({ row: given, version, leasedBy }: Versioned<object>): Cell {
      const row = given as Row
      const key = keyOf(collection, row)
      const values = columns.map((name) => row[name] ?? null)
      return { row, version, leasedBy, key, values, id: cellId(key) }
    },
    get: (key: Key) => rows.get(cellId(key)),
    /** The one primitive of change: `before` leaves, `after` comes. Undone by the same call turned round. */
    swap(before: Cell | undefined, after: Cell | undefined): void {
      for (const { list, holds } of every) list.swap(held(holds, before), held(holds, after))
      if (before) rows.delete(before.id)
      if (after) rows.set(after.id, after)
    },
    /** The first unique rule that this row would break, and the row in the way. */
    clash(cell: Cell): { readonly name: string; readonly holder: Cell } | undefined {
      for (const { name, on, view } of uniques) {
        const values = on.map((name) => column(cell, name))
        if (!view.holds(cell) || values.includes(null)) continue
        for (const holder of equal(view, values)) if (holder.id !== cell.id) return { name, holder }
      }
      return undefined
    },
    /** Rows that match, in the order of an index. */
    *scan(where: Where, by: string, newest: boolean, after?: Key): Iterable<Cell> {
      const wanted = indexes.get(by) ?? byKey
      let best = wanted
      for (const other of searchable) if (pinned(other, where) > pinned(best, where)) best = other
      const behind = (cell: Cell) => after === undefined || compareKeys(cell.key, after) > 0
      if (best === wanted) {
        for (const cell of stretch(wanted, where, newest, after)) if (behind(cell)) yield cell
        return
      }
      const found = [...stretch(best, where, false)].filter(behind).sort(compareOn(wanted.on))
      yield* newest ? found.reverse() : found
    },
    /** The first row that is due in a lane behind `lane` (`in` itself when `inclusive`). */
    firstDue(lane: string, inclusive: boolean): Cell | undefined {
      if (!dueView || !queue) return undefined
      const least = inclusive ? 0 : 1
      for (const cell of dueView.list.from(
        (cell) => compareValues(column(cell, queue.lane), lane) < least,
      ))
        return cell
      return undefined
    },
    *due(lane: string, now: number): Iterable<Cell> {
      if (!dueView || !queue) return
      for (const cell of equal(dueView, [lane])) {
        if (Number(column(cell, queue.due)) > now) return
        yield cell
      }
    },
    all: (): Iterable<Cell> => byKey.list.from(never),
  }
}

export type Table = ReturnType<typeof createTable>
