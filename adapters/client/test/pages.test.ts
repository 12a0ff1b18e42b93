import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { pageAfter } from '../pages.ts'
import { createPortalClient } from '../portal.ts'
import { type Seen, scripted } from './support.ts'

const portalUrl = 'https://portal.example'

function query({ path }: Seen): Record<string, string> {
  return Object.fromEntries(new URL(path, portalUrl).searchParams)
}

it('a list is asked for when it is awaited or iterated, once', async () => {
  const page = { applications: [], totalCount: 0, page: 2, pageSize: 20, hasMore: false }
  const { requests, surroundings } = scripted(() => ({ status: 200, body: page }))
  const portal = createPortalClient({ portalUrl, token: 't', surroundings })
  const list = portal.applications.list({ page: 2 })
  assert.equal(requests.length, 0)
  assert.deepEqual(await list, page)
  assert.deepEqual(requests.map(query), [{ page: '2' }])
  assert.equal(requests[0]?.headers.cookie, 'service_customer_token=t')
})

/** A list by pages, which `change` may change after each request. */
function listed(length: number, change: (rows: string[], nth: number) => void) {
  const rows = Array.from({ length }, (_, i) => `app_${i}`)
  const world = scripted((seen) => {
    const [page, pageSize] = [Number(query(seen).page), Number(query(seen).pageSize)]
    const from = (page - 1) * pageSize
    const applications = rows
      .slice(from, from + pageSize)
      .map((applicationId) => ({ applicationId }))
    const hasMore = from + applications.length < rows.length
    const body = { applications, totalCount: rows.length, page, pageSize, hasMore }
    change(rows, world.requests.length)
    return { status: 200, body }
  })
  const { surroundings } = world
  const all = async () => {
    const ids: string[] = []
    const { applications } = createPortalClient({ portalUrl, surroundings })
    for await (const { applicationId } of applications.list()) ids.push(applicationId)
    return ids
  }
  return { ...world, rows, all }
}

it('iterated by pages, it gives each item once though items come in front', async () => {
  const { requests, all } = listed(250, (rows, nth) => {
    if (nth === 1) rows.unshift('app_new')
  })
  assert.deepEqual(
    await all(),
    Array.from({ length: 250 }, (_, i) => `app_${i}`),
  )
  assert.equal(requests.length, 3)
})

it('iterated by pages, it passes over nothing though items before it go', async () => {
  for (const gone of [1, 30, 100]) {
    const { all } = listed(450, (rows, nth) => {
      if (nth === 1) rows.splice(0, gone)
    })
    const ids = await all()
    assert.deepEqual(
      ids,
      Array.from({ length: 450 }, (_, i) => `app_${i}`),
    )
  }
  const emptied = listed(450, (rows, nth) => {
    if (nth === 2) rows.length = 0
  })
  assert.equal((await emptied.all()).length, 198)
})

it('iterated by pages, it tells what is there all the while, once, whatever comes and goes', async () => {
  const change = fc.record({
    nth: fc.nat(12),
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    count: fc.integer({ min: 1, max: 150 }),
    removes: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.nat(600), fc.array(change, { maxLength: 8 }), async (length, changes) => {
      let made = 0
      const gone = new Set<string>()
      const { all } = listed(length, (rows, asked) => {
        for (const { nth, at, count, removes } of changes) {
          if (nth + 1 !== asked) continue
          const from = Math.floor(at * rows.length)
          if (removes) for (const id of rows.splice(from, count)) gone.add(id)
          else rows.splice(from, 0, ...Array.from({ length: count }, () => `app_new_${made++}`))
        }
      })
      const ids = await all()
      assert.equal(new Set(ids).size, ids.length)
      const told = ids.filter((id) => !id.includes('new') && !gone.has(id))
      const stayed = Array.from({ length }, (_, i) => `app_${i}`).filter((id) => !gone.has(id))
      assert.deepEqual(told, stayed)
    }),
    { numRuns: 60 },
  )
})

it('each page begins with a row that was read, and brings more', () => {
  for (let read = 1; read < 3_000; read++) {
    const { page, pageSize } = pageAfter(read)
    const from = (page - 1) * pageSize
    assert.ok(pageSize <= 100 && from < read && from + pageSize > read + 40, `after ${read}`)
  }
})

it('may be caught as a promise may', async () => {
  const { surroundings } = scripted(() => ({ status: 404, body: {} }))
  const portal = createPortalClient({ portalUrl, surroundings })
  let ended = 0
  const list = portal.applications.list()
  assert.equal(await list.catch(() => 'caught'), 'caught')
  await assert.rejects(
    list.finally(() => {
      ended++
    }),
  )
  assert.equal(ended, 1)
})

it('iterated behind cursors, it goes on until there is none, and leaves early when its reader does', async () => {
  const { requests, surroundings } = scripted((seen) => {
    const { after } = query(seen)
    const rows = [{ reviewCaseId: `rc_${after ?? 0}` }]
    const next = after === undefined ? '1' : after === '1' ? '2' : null
    return { status: 200, body: { rows, next, totalCount: 3 } }
  })
  const portal = createPortalClient({ portalUrl, surroundings })
  const ids: string[] = []
  for await (const { reviewCaseId } of portal.reviewCases.list({ state: 'open' }))
    ids.push(reviewCaseId)
  assert.deepEqual(ids, ['rc_0', 'rc_1', 'rc_2'])
  assert.deepEqual(query(requests[1] as Seen), { state: 'open', limit: '100', after: '1' })
  for await (const _ of portal.reviewCases.list()) break
  assert.equal(requests.length, 4)
})

it('a login is carried by what follows it, until the logout', async () => {
  const { requests, surroundings } = scripted(({ path }) => ({
    status: 200,
    body: path.endsWith('login') ? { token: 'abc' } : {},
  }))
  const portal = createPortalClient({ portalUrl, surroundings, sandbox: true })
  await portal.auth.login({ email: 'a@b.example', password: 'p' })
  await portal.auth.session()
  await portal.auth.logout({})
  await portal.auth.session()
  assert.deepEqual(
    requests.map(({ headers }) => headers.cookie),
    [undefined, 'service_customer_token=abc', 'service_customer_token=abc', undefined],
  )
  assert.ok(requests.every(({ headers }) => headers['x-service-sandbox'] === 'true'))
})
