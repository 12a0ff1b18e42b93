import assert from 'node:assert/strict'
import { deepestRow } from '@countersign/core/ledger'
import type { Collection, Found, Read, Where } from '@countersign/core/ports'
import type { Route } from '../operation.ts'
import { pathOfList, type Shape, type Stock, shapeOf } from './stocked-lists.ts'
import type { World } from './world.ts'

/** Rows that an answer may read besides those of its page. */
const besides = 64

type List = Extract<Read, { list: string }>
type Filters = readonly (readonly [string, string])[]

const notFilters = ['page', 'pageSize', 'after', 'limit', 'include', 'sort', 'subscriptionId']

/** Parameters of a list that choose its rows; `include` and `sort` do not. */
export function filtersOf(route: Route): readonly string[] {
  const shape: Shape = shapeOf(route)
  const ofSession = route.path.includes(':sessionId')
  return Object.keys(shape).filter(
    (name) => !notFilters.includes(name) && !(ofSession && name === 'applicationId'),
  )
}

/** Each subset of these of at most `most` members, with one of the values of each. */
export function combinations(
  filters: readonly string[],
  samples: Readonly<Record<string, readonly string[]>>,
  most = filters.length,
): readonly Filters[] {
  return filters.reduce<readonly Filters[]>(
    (made, name) => {
      const values = samples[name]
      assert.ok(values, `filter ${name}: name values of it in \`samples\``)
      return made.flatMap((each) => [
        each,
        ...(each.length < most ? values.map((value) => [...each, [name, value] as const]) : []),
      ])
    },
    [[]],
  )
}

function orderOf(collection: Collection, by: string): readonly string[] {
  return [...(by === 'key' ? [] : (collection.indexes[by] ?? [])), ...collection.key]
}

/**
 * Conditions that the index of a read finds by itself: equality of its leading columns, then a range of the next. The
 * others are tried on what these find: in the index if it has their columns, else on the rows.
 */
function pinnedBy(collection: Collection, read: List): Where {
  const found: Where[number][] = []
  for (const column of orderOf(collection, read.by)) {
    const ofColumn = read.where.filter(([name]) => name === column)
    const equal = ofColumn.filter(([, is]) => is === '=')
    found.push(...(equal.length > 0 ? equal : ofColumn))
    if (equal.length === 0) break
  }
  return found
}

/** Counts what a world's store reads of a collection, those rows included that a filter is tried on. */
export function countReads(world: World, collection: Collection) {
  const real = world.store.read
  const counted = { rows: 0, deepestSkip: 0, mostTold: 0, mostTried: 0 }
  const totalOf = async (read: List, where: Where): Promise<number> => {
    const [found] = await real(null, [{ ...read, where, skip: 0, take: 0, count: true }])
    return found?.total ?? 0
  }
  const note = async (read: List, found: Found | undefined) => {
    const pinned = pinnedBy(collection, read)
    const order = orderOf(collection, read.by)
    // That of the organization holds for all rows of its application, whose id leads an index.
    const rest = read.where.filter(
      (each) => !pinned.includes(each) && each[0] !== collection.tenant,
    )
    const ofRows = rest.filter(([column]) => !order.includes(column))
    const told = read.count === true ? Number.POSITIVE_INFINITY : Number(read.count)
    counted.deepestSkip = Math.max(counted.deepestSkip, read.skip)
    counted.mostTold = Math.max(counted.mostTold, told)
    if (rest.length > 0)
      counted.mostTried = Math.max(counted.mostTried, await totalOf(read, pinned))
    counted.rows += ofRows.length > 0 ? await totalOf(read, pinned) : (found?.rows.length ?? 0)
  }
  Object.assign(world.store, {
    read: async (tenant: string | null, reads: readonly Read[]) => {
      const found = await real(tenant, reads)
      for (const [at, read] of reads.entries())
        if ('list' in read && read.list === collection.name) await note(read, found[at])
      return found
    },
  })
  return {
    /** What the call reads. */
    async of(call: () => Promise<unknown>): Promise<Readonly<typeof counted>> {
      Object.assign(counted, { rows: 0, deepestSkip: 0, mostTold: 0, mostTried: 0 })
      await call()
      return { ...counted }
    },
    stop: () => Object.assign(world.store, { read: real }),
  }
}

/** Who may read a list of the home organization. */
export function callerOf({ staff, home }: World, { host }: Pick<Route, 'host'>) {
  return { staff, portal: home.admin, ingest: home.app }[host]
}

/** Fails where a list reads more than its page, or tries filters on too much; answers how many requests were made. */
export async function checkList(
  world: World,
  route: Route,
  { samples }: Pick<Stock, 'samples'>,
  asked: {
    readonly collection: Collection
    readonly filters: readonly Filters[]
    readonly parts: readonly (readonly [part: string, size: number])[]
    /** The total is counted exactly, however large it is. */
    readonly exact?: boolean
  },
): Promise<number> {
  assert.ok(samples)
  const reads = countReads(world, asked.collection)
  const as = callerOf(world, route)
  let requests = 0
  try {
    for (const filters of asked.filters)
      for (const [part, size] of asked.parts) {
        const query = new URLSearchParams(Object.fromEntries(filters))
        if ('subscriptionId' in shapeOf(route)) query.set('subscriptionId', world.home.webhookId)
        const text = query.toString().replace('%24applicationId', world.home.app.applicationId)
        const path = `${pathOfList(world, route)}?${part}&${text}`
        const { host, method } = route
        const { rows, deepestSkip, mostTold, mostTried } = await reads.of(async () => {
          const answer = await world.call({ host, method, path, as })
          assert.equal(answer.status, 200, `${path}: ${answer.text}`)
        })
        assert.ok(rows <= size + besides, `${path} reads ${rows} rows`)
        assert.ok(deepestSkip <= deepestRow, `${path} skips ${deepestSkip} rows`)
        assert.ok(mostTried <= deepestRow, `${path} tries filters on ${mostTried} rows`)
        const most = asked.exact ? Number.POSITIVE_INFINITY : deepestRow + 1
        assert.ok(mostTold <= most, `${path} counts up to ${mostTold}`)
        requests++
      }
  } finally {
    reads.stop()
  }
  return requests
}
