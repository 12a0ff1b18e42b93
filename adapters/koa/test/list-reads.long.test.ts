import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkList, combinations, filtersOf } from './list-reads.ts'
import { allLists, fill, stocks } from './stocked-lists.ts'
import { openWorld } from './world.ts'

for (const name of ['reviewCases.list', 'sessions.list'])
  test(`${name} of a hundred thousand reads its page alone, whatever filters choose it`, async () => {
    const world = await openWorld()
    try {
      const stock = stocks[`portal ${name}`]
      const route = allLists.find((each) => each.name === name)
      assert.ok(stock && route)
      const collection = await fill(world, stock, 100_000)
      const names = filtersOf(route)
      const filters = combinations(names, stock.samples, names.length > 5 ? 1 : names.length)
      const parts = [
        ['page=100&pageSize=100', 100],
        [`limit=20&after=${stock.cursor(50_000)}`, 20],
      ] as const
      assert.equal(
        await checkList(world, route, stock, { collection, filters, parts }),
        filters.length * parts.length,
      )
    } finally {
      await world.close()
    }
  })
