import assert from 'node:assert/strict'
import type { Collection, Found, Read, Versioned, Where } from '@countersign/core/ports'
import { routes } from '../index.ts'
import type { Route } from '../operation.ts'
import type { World } from './world.ts'

/** Rows that an answer may read besides those of its page. */
const besides = 64

type Shape = Readonly<Record<string, { safeParse(value: unknown): { success: boolean } }>>

/** Names and checks of an operation's query parameters. */
function shapeOf({ query }: Route): Shape {
  return (query as unknown as { shape?: Shape } | undefined)?.shape ?? {}
}

/** The lists that can be read behind a cursor; pages of the audit log are read where they stand, by their positions. */
export const cursorLists: readonly Route[] = routes.filter(
  (route) => 'after' in shapeOf(route) && route.path !== '/v1/customer/audit-log',
)

const paging = ['page', 'pageSize', 'after', 'limit']

/** Parameters of a list that choose its rows; `include` and `sort` do not. */
export function filtersOf(route: Route): readonly string[] {
  return Object.keys(shapeOf(route)).filter(
    (name) => ![...paging, 'include', 'sort', 'subscriptionId'].includes(name),
  )
}

/** Each subset of these, with one of the values of each member. */
export function combinations(
  filters: readonly string[],
  samples: Readonly<Record<string, readonly string[]>>,
): readonly (readonly (readonly [string, string])[])[] {
  return filters.reduce<readonly (readonly (readonly [string, string])[])[]>(
    (made, name) => {
      const values = samples[name]
      assert.ok(values, `filter ${name}: name values of it in \`samples\``)
      return made.flatMap((each) => [
        each,
        ...values.map((value) => [...each, [name, value] as const]),
      ])
    },
    [[]],
  )
}

/**
 * Conditions that the index of a read finds by itself: equality of its leading columns, then a range of the next. The
 * others are tried on each row that these find.
 */
function pinnedBy(collection: Collection, read: Extract<Read, { list: string }>): Where {
  const order = [
    ...(read.by === 'key' ? [] : (collection.indexes[read.by] ?? [])),
    ...collection.key,
  ]
  const found: Where[number][] = []
  for (const column of order) {
    const ofColumn = read.where.filter(([name]) => name === column)
    const equal = ofColumn.filter(([, is]) => is === '=')
    found.push(...(equal.length > 0 ? equal : ofColumn))
    if (equal.length === 0) break
  }
  return found
}

/** Counts the rows of a collection that a world's store reads, those that it passes over because of a filter included. */
export function countReads(world: World, collection: Collection) {
  const real = world.store.read
  const counted = { rows: 0, deepestSkip: 0, mostTold: 0 }
  const looked = async (read: Extract<Read, { list: string }>, found: Found | undefined) => {
    const pinned = pinnedBy(collection, read)
    const rest = read.where.filter((each) => !pinned.includes(each))
    if (rest.length === 0) return found?.rows.length ?? 0
    const [all] = await real(null, [
      { ...read, where: pinned, skip: 0, take: 1_000_000, count: false },
    ])
    const fits = ({ row }: Versioned) =>
      rest.every(([column, is, value]) => is !== '=' || (row as never)[column] === value)
    let left = read.count === false ? read.skip + read.take : Number.POSITIVE_INFINITY
    const rows = all?.rows ?? []
    const end = rows.findIndex((each) => fits(each) && --left === 0)
    return end < 0 ? rows.length : end + 1
  }
  Object.assign(world.store, {
    read: async (tenant: string | null, reads: readonly Read[]) => {
      const found = await real(tenant, reads)
      for (const [at, read] of reads.entries()) {
        if (!('list' in read) || read.list !== collection.name) continue
        counted.rows += await looked(read, found[at])
        counted.deepestSkip = Math.max(counted.deepestSkip, read.skip)
        const told = read.count === true ? Number.POSITIVE_INFINITY : Number(read.count)
        counted.mostTold = Math.max(counted.mostTold, told)
      }
      return found
    },
  })
  return {
    /** What the call reads. */
    async of(call: () => Promise<unknown>): Promise<Readonly<typeof counted>> {
      Object.assign(counted, { rows: 0, deepestSkip: 0, mostTold: 0 })
      await call()
      return { ...counted }
    },
  }
}

/** Fails where a list of cases reads more than its page; answers how many requests were made. */
export async function checkCaseList(
  world: World,
  collection: Collection,
  asked: {
    readonly filters: readonly (readonly (readonly [string, string])[])[]
    readonly parts: readonly (readonly [part: string, size: number])[]
  },
): Promise<number> {
  const reads = countReads(world, collection)
  let requests = 0
  for (const filters of asked.filters)
    for (const [part, size] of asked.parts) {
      const query = new URLSearchParams(Object.fromEntries(filters))
      const path = `/v1/review-cases?${part}&${query}`
      const { rows, deepestSkip, mostTold } = await reads.of(async () => {
        const answer = await world.call({
          host: 'portal',
          method: 'GET',
          path,
          as: world.home.admin,
        })
        assert.equal(answer.status, 200, `${path}: ${answer.text}`)
      })
      assert.ok(rows <= size + besides, `${path} reads ${rows} cases`)
      assert.ok(deepestSkip <= 10_000, `${path} skips ${deepestSkip} cases`)
      assert.ok(mostTold <= 10_001, `${path} counts up to ${mostTold}`)
      requests++
    }
  return requests
}

const states = ['open', 'decided', 'cancelled', 'expired']
const tiers = ['standard', 'high', 'urgent']

/** Values of the filters of the list of cases, for a world with `fillCases`. */
export const caseSamples = (world: World): Readonly<Record<string, readonly string[]>> => ({
  state: ['open', 'expired'],
  tier: ['urgent'],
  assignee: ['me', 'none'],
  applicationId: [world.home.app.applicationId],
  sessionId: ['ses_7'],
})

/** Stores cases as copies of one: of each state, tier and assignee, those of the rarest kind the oldest. */
export async function fillCases(world: World, count: number): Promise<void> {
  const { app, admin } = world.home
  const { reviewCaseId } = await world.opened(app)
  const [found] = await world.store.read(null, [{ get: 'reviewCases', key: [reviewCaseId] }])
  const row = found?.rows[0]?.row as object
  const piece = 500
  for (let at = 0; at < count; at += piece)
    await world.store.commit({
      tenant: app.tenantId,
      puts: Array.from({ length: Math.min(piece, count - at) }, (_, more) => {
        const n = at + more
        const rare = n < 30
        return {
          in: 'reviewCases',
          was: null,
          row: {
            ...row,
            reviewCaseId: `rc_0${String(n).padStart(25, '0')}`,
            sessionId: `ses_${n % 5_000}`,
            checkpointId: `c_${n}`,
            state: rare ? states[n % 4] : 'decided',
            reviewTier: rare ? tiers[n % 3] : 'standard',
            assigneeId: rare ? admin.actor.memberId : n % 2 === 0 ? null : 'mem_other',
          },
        }
      }),
    })
}
