import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collections } from '@countersign/core'
import {
  caseSamples,
  checkCaseList,
  combinations,
  cursorLists,
  fillCases,
  filtersOf,
} from './list-reads.ts'
import { openWorld } from './world.ts'

test('the list of a hundred thousand cases reads its page alone, whatever filters choose it', async () => {
  const world = await openWorld()
  try {
    await fillCases(world, 100_000)
    const cases = collections.find(({ name }) => name === 'reviewCases')
    const route = cursorLists.find(({ name }) => name === 'reviewCases.list')
    assert.ok(cases && route)
    const filters = combinations(filtersOf(route), caseSamples(world))
    const parts = [
      ['page=100&pageSize=100', 100],
      ['limit=20&after=rc_000000000000000000000050000', 20],
    ] as const
    assert.equal(await checkCaseList(world, cases, { filters, parts }), filters.length * 2)
  } finally {
    await world.close()
  }
})
