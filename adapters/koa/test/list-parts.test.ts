import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type World } from './world.ts'

type Rows = {
  readonly rows: readonly { readonly reviewCaseId: string; readonly presentation?: unknown }[]
  readonly next: string | null
  readonly totalCount: number
}

test('the list of cases is read by cursor to its end, and no part of it twice', async () => {
  const world = await openWorld()
  try {
    const { admin } = world.home
    const ask = async (query: string) => {
      const path = `/v1/review-cases?${query}`
      return world.call({ host: 'portal', method: 'GET', path, as: admin })
    }
    const opened: string[] = []
    for (let n = 0; n < 5; n++) opened.push((await world.opened(world.home.app)).reviewCaseId)
    const told: string[] = []
    let after = ''
    for (let part = 0; part < 20; part++) {
      const answer = await ask(`limit=2${after}`)
      assert.equal(answer.status, 200, answer.text)
      const { rows, next } = JSON.parse(answer.text) as Rows
      assert.ok(rows.length <= 2)
      told.push(...rows.map(({ reviewCaseId }) => reviewCaseId))
      if (next === null) break
      after = `&after=${next}`
    }
    assert.equal(new Set(told).size, told.length)
    for (const id of opened) assert.ok(told.includes(id))
    for (const wrong of ['limit=0', 'limit=101', 'limit=x', 'limit=2&page=1', 'after=%00'])
      assert.equal((await ask(wrong)).status, 400, wrong)
  } finally {
    await world.close()
  }
})

test('rows of the case list carry a presentation where `include` asks for it', async () => {
  const world = await openWorld()
  try {
    await world.opened(world.home.app)
    const ask = (include: string) => {
      const path = `/v1/review-cases?limit=1${include}`
      return world.call({ host: 'portal', method: 'GET', path, as: world.home.admin })
    }
    const rowsOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as Rows).rows
    const bare = await ask('')
    const whole = await ask('&include=presentation')
    assert.deepEqual(
      rowsOf(bare).map((row) => 'presentation' in row),
      [false],
    )
    assert.equal(typeof rowsOf(whole)[0]?.presentation, 'object')
    assert.equal((await ask('&include=everything')).status, 400)
  } finally {
    await world.close()
  }
})

/** Sends what is owed to the organization's webhook. */
async function sent(world: World): Promise<void> {
  const { home, clock, call } = world
  const path = `/v1/review-events?subscriptionId=${home.webhookId}&pageSize=100`
  for (let turn = 0; turn < 1_000; turn++) {
    const { json } = await call({ host: 'portal', method: 'GET', path, as: home.admin })
    const events = json.events as readonly { readonly deliveryStatus: string }[]
    if (events.every(({ deliveryStatus }) => deliveryStatus === 'delivered')) return
    await clock.advance(10)
  }
  throw new Error('events are still owed after 1000 turns')
}

const lists = [
  {
    what: 'the recovery read',
    path: (webhookId: string) => `/v1/review-events?subscriptionId=${webhookId}`,
    items: 'events',
    idOf: (row: Row) => String((row.event as Row).id),
  },
  {
    what: 'the delivery log',
    path: (webhookId: string) => `/v1/webhooks/${webhookId}/delivery-logs?`,
    items: 'deliveryLogs',
    idOf: (row: Row) => String(row.attemptId),
  },
] as const
type Row = Readonly<Record<string, unknown>>

for (const { what, path, items, idOf } of lists)
  test(`${what} is read by cursor to its end, in the order of its pages, while more comes`, async () => {
    const world = await openWorld()
    try {
      const { home, opened, call } = world
      const ask = (query: string) => {
        const asked = `${path(home.webhookId)}&${query}`.replace('?&', '?')
        return call({ host: 'portal', method: 'GET', path: asked, as: home.admin })
      }
      world.service.start()
      for (let n = 0; n < 5; n++) await opened(home.app)
      await sent(world)
      const page = await ask('pageSize=100')
      const expected = (page.json[items] as readonly Row[]).map(idOf)
      assert.ok(expected.length >= 5)
      assert.equal(new Set(expected).size, expected.length)

      for (const limit of [1, 2, expected.length, 100]) {
        const told: string[] = []
        let after = ''
        for (let parts = 0; parts <= expected.length; parts++) {
          const answer = await ask(`limit=${limit}${after}`)
          assert.equal(answer.status, 200, answer.text)
          const { rows, next } = answer.json as unknown as { rows: readonly Row[]; next: unknown }
          assert.ok(rows.length <= limit)
          told.push(...rows.map(idOf))
          if (next === null) break
          after = `&after=${next}`
        }
        assert.deepEqual(told, expected, `limit ${limit}`)
      }

      const first = await ask('limit=2')
      // Of two events within a millisecond either may be the newer.
      await world.clock.advance(1_000)
      await opened(home.app)
      await sent(world)
      const rest = await ask(`limit=100&after=${first.json.next}`)
      assert.deepEqual((rest.json.rows as readonly Row[]).map(idOf), expected.slice(2))
      for (const wrong of ['limit=0', 'limit=101', 'limit=x', 'limit=2&page=1', 'after=%00'])
        assert.equal((await ask(wrong)).status, 400, wrong)
    } finally {
      await world.close()
    }
  })
