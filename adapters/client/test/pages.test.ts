import assert from 'node:assert/strict'
import { it } from 'node:test'
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

it('iterated by pages, it gives each item once though items move to later pages', async () => {
  const all = Array.from({ length: 250 }, (_, i) => ({ applicationId: `app_${i}` }))
  const { requests, surroundings } = scripted((seen) => {
    const { page = '1', pageSize = '20' } = query(seen)
    // Before the second page is read, one more came in front.
    const rows = page === '1' ? all : [{ applicationId: 'app_new' }, ...all]
    const from = (Number(page) - 1) * Number(pageSize)
    const applications = rows.slice(from, from + Number(pageSize))
    const hasMore = from + applications.length < rows.length
    return { status: 200, body: { applications, totalCount: rows.length, page, pageSize, hasMore } }
  })
  const ids: string[] = []
  for await (const { applicationId } of createPortalClient({
    portalUrl,
    surroundings,
  }).applications.list())
    ids.push(applicationId)
  assert.deepEqual(
    ids,
    all.map(({ applicationId }) => applicationId),
  )
  assert.equal(requests.length, 3)
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
