import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deepestRow, most } from '@countersign/core/ledger'
import type { Route } from '../operation.ts'
import { callerOf, checkList, combinations, countReads, filtersOf } from './list-reads.ts'
import { allLists, bounded, fill, pathOfList, shapeOf, stocks } from './stocked-lists.ts'
import { openWorld, type World } from './world.ts'

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld()
  try {
    await run(world)
  } finally {
    await world.close()
  }
}

/** Of the audit log a page is read where it stands; filters look at 10,000 entries (core/test/organizations). */
const logs = ['auditLog.list']
/** One row of each use. */
const ofUses = ['signingKeys.list']

const longLists = allLists.filter(
  ({ name }) => !(name in bounded) && !logs.includes(name) && !ofUses.includes(name),
)

test('each list is kept short by a declared limit, or is read behind a cursor', () => {
  for (const route of allLists) {
    if (ofUses.includes(route.name)) continue
    const shape = shapeOf(route)
    const limit = bounded[route.name]
    if (limit === undefined) assert.ok('after' in shape && 'limit' in shape, route.name)
    else assert.ok(limit >= 1 && limit <= deepestRow, route.name)
    const size = hasPages(route) ? 'pageSize' : 'limit'
    assert.equal(shape[size]?.(String(most.pageSize)), true, route.name)
    assert.equal(shape[size]?.(String(most.pageSize + 1)), false, route.name)
  }
  const named = longLists.map(({ host, name }) => `${host} ${name}`).sort()
  assert.deepEqual(named, Object.keys(stocks).sort(), 'each has rows to be counted')
})

/** Some lists have a cursor alone. */
const hasPages = (route: Route) => 'page' in shapeOf(route)

for (const route of longLists) {
  const key = `${route.host} ${route.name}`
  const stock = stocks[key]
  if (!stock) continue
  test(`${key} reads its page alone, whatever filters choose it and wherever it begins`, () =>
    inWorld(async (world) => {
      const collection = await fill(world, stock, 1_000)
      const names = filtersOf(route)
      // Of sessions, pairs: all sets of ten filters are too many.
      const filters = combinations(names, stock.samples, names.length > 5 ? 2 : names.length)
      const parts = [
        ['page=9&pageSize=100', 100],
        ['page=100&pageSize=100', 100],
        ['limit=20', 20],
        [`limit=20&after=${stock.cursor(300)}`, 20],
      ] as const
      const exact = route.name === 'reviewEvents.list'
      const own = parts.filter(([part]) => hasPages(route) || !part.startsWith('page'))
      const asked = { collection, filters, parts: own, exact }
      const requests = await checkList(world, route, stock, asked)
      assert.equal(requests, filters.length * own.length)
    }))

  if (!hasPages(route)) continue
  test(`${key} refuses a page beyond the ten thousandth row, and names after`, () =>
    inWorld(async (world) => {
      await stock.first(world)
      const { host, method } = route
      const own =
        'subscriptionId' in shapeOf(route) ? `subscriptionId=${world.home.webhookId}&` : ''
      const as = callerOf(world, route)
      const ask = (page: number) => {
        const path = `${pathOfList(world, route)}?${own}page=${page}&pageSize=100`
        return world.call({ host, method, path, as })
      }
      const last = await ask(100)
      assert.equal(last.status, 200, last.text)
      const refused = await ask(101)
      assert.equal(refused.status, 400)
      assert.match(refused.text, /at most 10000, got 101 × 100; read further by limit and after/)
    }))
}

test('filters of sessions are tried on ten thousand at most, and the cursor goes on from there', () =>
  inWorld(async (world) => {
    const stock = stocks['portal sessions.list']
    const route = longLists.find(({ name }) => name === 'sessions.list')
    assert.ok(stock && route)
    const collection = await fill(world, stock, 12_000)
    const ask = async (query: string) => {
      const path = `/v1/sessions?${query}`
      const as = world.home.admin
      const { status, text } = await world.call({ host: 'portal', method: 'GET', path, as })
      assert.equal(status, 200, text)
      return JSON.parse(text)
    }
    const filters = [
      [
        ['origin', 'otlp'],
        ['status', 'failed'],
      ],
      [['maxQuality', '50']],
    ] as const
    const parts = [
      ['page=1&pageSize=20', 20],
      ['limit=20', 20],
      // Of what stands ahead of a cursor nothing is tried again.
      [`limit=20&after=${stock.cursor(1_000)}`, 20],
    ] as const
    await checkList(world, route, stock, { collection, filters: [...filters], parts })
    const page = await ask('maxQuality=50')
    assert.deepEqual([page.totalCount, page.hasMore], [0, false])
    assert.equal(page.scannedTo, stock.cursor(2_000))
    const first = await ask('limit=20&maxQuality=50')
    assert.deepEqual(
      [first.rows, first.next, first.scannedTo],
      [[], page.scannedTo, page.scannedTo],
    )
    const second = await ask(`limit=20&maxQuality=50&after=${first.next}`)
    assert.deepEqual([second.rows.length, second.totalCount, second.scannedTo], [20, 30, null])
    // One filter has an index: its rows are found wherever they are.
    for (const one of ['status=failed', 'origin=submission', 'flagged=true', 'openReview=true']) {
      const { totalCount, scannedTo } = await ask(one)
      assert.deepEqual([totalCount, scannedTo], [30, null], one)
    }
    // The index that reaches furthest is taken.
    const both = await ask('status=failed&origin=submission&maxQuality=50')
    assert.deepEqual([both.totalCount, both.scannedTo], [30, null])
  }))

test('filters of the queue are tried on ten thousand at most, and the cursor goes on from there', () =>
  inWorld(async (world) => {
    const stock = stocks['portal portal.listQueue']
    const route = longLists.find(({ name }) => name === 'portal.listQueue')
    assert.ok(stock && route)
    const collection = await fill(world, stock, 10_200)
    const filters = [[['tier', 'urgent']]] as const
    const parts = [
      ['page=1&pageSize=20', 20],
      ['limit=20&sort=-dueAt', 20],
    ] as const
    await checkList(world, route, stock, { collection, filters, parts })
    const ask = async (query: string) => {
      const path = `/v1/portal/review-queue?limit=20&sort=-dueAt&tier=urgent${query}`
      const as = world.home.admin
      const { status, text } = await world.call({ host: 'portal', method: 'GET', path, as })
      assert.equal(status, 200, text)
      return JSON.parse(text)
    }
    const first = await ask('')
    assert.deepEqual([first.rows.length, first.totalCount], [1, 1])
    assert.equal(first.next, first.scannedTo)
    const second = await ask(`&after=${first.next}`)
    // Two are open and urgent, one of which is overdue.
    assert.deepEqual([second.rows.length, second.totalCount, second.scannedTo], [1, 1, null])
  }))

test('reads are counted with the rows that a filter is tried on', () =>
  inWorld(async (world) => {
    const stock = stocks['portal reviewCases.list']
    assert.ok(stock)
    const cases = await fill(world, stock, 300)
    const { home, store } = world
    const read = {
      ...{ list: 'reviewCases', by: 'byTenant', newest: true, skip: 0, take: 4, count: false },
      where: [
        ['tenantId', '=', home.tenantId],
        ['reviewTier', '=', 'urgent'],
      ],
    } as const
    const { rows } = await countReads(world, cases).of(() => store.read(null, [read]))
    assert.ok(rows > 250, `${rows} rows`)
  }))
