import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collections } from '@countersign/core'
import {
  caseSamples,
  checkCaseList,
  combinations,
  countReads,
  cursorLists,
  fillCases,
  filtersOf,
} from './list-reads.ts'
import { openWorld } from './world.ts'

const cases = collections.find(({ name }) => name === 'reviewCases')
assert.ok(cases)

const parts = [
  ['page=9&pageSize=100', 100],
  ['page=100&pageSize=100', 100],
  ['limit=20&after=rc_000000000000000000000000300', 20],
] as const

test('the list of cases reads its page alone, whatever filters choose it and wherever it begins', async () => {
  const world = await openWorld()
  try {
    await fillCases(world, 1_000)
    const route = cursorLists.find(({ name }) => name === 'reviewCases.list')
    assert.ok(route)
    const filters = combinations(filtersOf(route), caseSamples(world))
    assert.ok(filters.length >= 18, `${filters.length} sets of filters`)
    assert.equal(await checkCaseList(world, cases, { filters, parts }), filters.length * 3)
  } finally {
    await world.close()
  }
})

test('reads of cases are counted with the rows that a filter passes over', async () => {
  const world = await openWorld()
  try {
    await fillCases(world, 300)
    const { rows } = await countReads(world, cases).of(() =>
      world.store.read(null, [
        {
          list: 'reviewCases',
          where: [
            ['tenantId', '=', world.home.tenantId],
            ['reviewTier', '=', 'urgent'],
          ],
          by: 'byTenant',
          newest: true,
          skip: 0,
          take: 4,
          count: false,
        },
      ]),
    )
    assert.ok(rows > 250, `${rows} rows`)
  } finally {
    await world.close()
  }
})

test('a page beyond the ten thousandth row is refused in each list with a cursor, which is named', async () => {
  const world = await openWorld()
  try {
    assert.ok(cursorLists.length >= 4)
    await world.storeSession(world.home.app, 'ses_1')
    for (const { method, path, host } of cursorLists) {
      const at = path
        .replace(':webhookId', world.home.webhookId)
        .replace(':sessionId', 'ses_1')
        .replace(':id', world.home.webhookId)
      const own = path === '/v1/review-events' ? `subscriptionId=${world.home.webhookId}&` : ''
      const ask = (page: number) =>
        world.call({
          host,
          method,
          path: `${at}?${own}page=${page}&pageSize=100`,
          as: world.home.admin,
        })
      assert.equal((await ask(100)).status, 200, path)
      const refused = await ask(101)
      assert.equal(refused.status, 400, path)
      assert.match(refused.text, /at most 10000, got 101 × 100; read further by limit and after/)
    }
  } finally {
    await world.close()
  }
})
