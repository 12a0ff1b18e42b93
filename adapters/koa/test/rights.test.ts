import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Route, routes } from '../index.ts'
import type { Answered, Asked } from './client.ts'
import {
  type Audience,
  entitled,
  keyOf,
  pathOf,
  requests,
  type Sample,
  sampleOf,
} from './requests.ts'
import { type App, openWorld, type Person, type World } from './world.ts'

/** Whoever may come, and what each audience's routes answer: 200 means "let in". */
const outsiders: readonly Outsider[] = [
  { name: 'nobody', as: () => null, answers: unauthenticated },
  {
    name: 'a forged cookie',
    as: () => null,
    headers: { cookie: 'service_customer_token=e30.e30.e30' },
    answers: unauthenticated,
  },
  {
    name: 'a malformed key',
    as: () => null,
    headers: { 'x-api-key': 'svc_app_nothing' },
    answers: unauthenticated,
  },
  {
    name: 'a compound customer key',
    as: () => null,
    headers: { 'x-api-key': 'svc_cust_home.abcdefghijkl.secret' },
    answers: unauthenticated,
  },
  {
    name: 'the other host’s credentials',
    as: ({ home }, row) => (row.host === 'ingest' ? home.admin : home.app),
    answers: unauthenticated,
  },
  {
    name: 'an auditor',
    as: ({ auditor }, { host }) => (host === 'portal' ? auditor : undefined),
    answers: (audience) => (audience === 'anyone' || audience === 'members' ? null : forbidden),
  },
  {
    name: 'a reviewer',
    as: ({ reviewer }, { host }) => (host === 'portal' ? reviewer : undefined),
    answers: (audience) => (audience === 'admins' || audience === 'integrators' ? forbidden : null),
  },
  {
    name: 'an integrator',
    as: ({ integrator }, { host }) => (host === 'portal' ? integrator : undefined),
    answers: (audience) => (audience === 'admins' || audience === 'reviewers' ? forbidden : null),
  },
  {
    name: 'a member who was suspended',
    as: ({ leaver }, { host }) => (host === 'portal' ? leaver : undefined),
    answers: unauthenticated,
  },
  {
    name: 'a member who logged out',
    as: ({ logger }, { host }) => (host === 'portal' ? logger : undefined),
    answers: unauthenticated,
  },
  {
    name: 'a member or key of a suspended tenant',
    as: ({ frozen }, { host }) => (host === 'portal' ? frozen.admin : frozen.app),
    answers: (audience) =>
      audience === 'anyone' ? null : { status: 503, code: 'account_suspended' },
  },
  {
    name: 'a revoked key',
    as: ({ revoked }, { host }) => (host === 'ingest' ? revoked : undefined),
    answers: unauthenticated,
  },
  {
    name: 'a key of an application that is being deleted',
    as: ({ leaving }, { host }) => (host === 'ingest' ? leaving : undefined),
    answers: () => ({ status: 410, code: 'application_gone' }),
  },
  {
    name: 'the sandbox, by an admin or a key',
    as: ({ home }, { host }) => (host === 'portal' ? home.admin : home.app),
    headers: { 'x-service-sandbox': 'true' },
    answers: (_, { method, path }) =>
      method === 'GET' || path.startsWith('/v1/auth/')
        ? null
        : { status: 403, code: 'sandbox_read_only' },
  },
  {
    name: 'the sandbox, by an auditor',
    as: ({ auditor }, { host }) => (host === 'portal' ? auditor : undefined),
    headers: { 'x-service-sandbox': 'true' },
    answers: (audience, { method, path }) =>
      method !== 'GET' && !path.startsWith('/v1/auth/')
        ? { status: 403, code: 'sandbox_read_only' }
        : audience === 'anyone' || audience === 'members'
          ? null
          : forbidden,
  },
]

interface Refused {
  readonly status: number
  readonly code: string
}

interface Outsider {
  readonly name: string
  /** Undefined where there is no such one on the route's host. */
  readonly as: (world: Cast, row: Route) => Person | App | null | undefined
  readonly headers?: Asked['headers']
  /** Null: is let in, which another test looks at. */
  readonly answers: (audience: Audience, row: Route) => Refused | null
}

const forbidden: Refused = { status: 403, code: 'forbidden' }

function unauthenticated(audience: Audience): Refused | null {
  return audience === 'anyone' ? null : { status: 401, code: 'authentication_required' }
}

/** The world, and those who fell from grace. */
async function openCast() {
  const world = await openWorld()
  const { home, service, alter, call } = world
  const [leaver, logger] = [
    await home.person('CustomerAdmin', []),
    await home.person('CustomerAdmin', []),
  ]
  await alter('members', { memberId: leaver.actor.memberId }, { status: 'Suspended' })
  await call({ host: 'portal', method: 'POST', path: '/v1/auth/logout', as: logger, body: {} })
  const [revoked, leaving] = [await home.newApp(), await home.newApp()]
  await service.access.revokeApplicationKey(home.admin.actor, revoked.applicationId, revoked.keyId)
  const { applicationId } = leaving
  await alter('applications', { applicationId }, { lifecycleState: 'pending_deletion' })
  const made = await world.tenant('frozen')
  const frozen = { ...made, app: await made.newApp() }
  await alter('tenants', { tenantId: frozen.tenantId }, { status: 'suspended' })
  return { ...world, leaver, logger, revoked, leaving, frozen }
}

type Cast = Awaited<ReturnType<typeof openCast>>

/** A request that is right in every way but for who sends it. */
function ask(
  world: World,
  row: Route,
  sample: Sample,
  more: Partial<Asked> & { as: Person | App | null },
) {
  const { method, host } = row
  const body = sample.body && { ...sample.body, ...sample.optional }
  return world.call({ host, method, path: pathOf(row, sample), body, ...more })
}

/** An answer without what differs between any two. */
function comparable({ status, headers, text, json }: Answered): unknown {
  const { date: _, 'x-request-id': requestId, 'x-ratelimit-remaining': __, ...rest } = headers
  return { status, rest, text: text.replaceAll(String(json.requestId), '') }
}

test('every route has a row, and every row a route', () => {
  assert.deepEqual(Object.keys(requests).sort(), routes.map(keyOf).sort())
  assert.throws(() => {
    const more = [...routes.map(keyOf), 'GET portal /v1/new']
    assert.deepEqual(Object.keys(requests).sort(), more.sort())
  })
})

describe('who is refused gets exactly this, and nothing is written', () => {
  let world: Cast
  before(async () => {
    world = await openCast()
  })
  after(() => world.close())

  for (const row of routes)
    test(keyOf(row), async () => {
      const sample = await sampleOf(row, world)
      const untouched = world.contents()
      for (const { name, as, headers = {}, answers } of outsiders) {
        const caller = as(world, row)
        const expected = answers(sample.audience, row)
        if (caller === undefined || expected === null) continue
        const answer = await ask(world, row, sample, { as: caller, headers })
        assert.deepEqual(
          { status: answer.status, code: answer.json.code },
          expected,
          `${name}: ${answer.text}`,
        )
        assert.equal(answer.json.status, answer.status)
        assert.equal(answer.json.requestId, answer.headers['x-request-id'])
        assert.equal(answer.headers['cache-control'], 'no-store')
        // Whoever may not is not told what is wrong with the request besides.
        const path = `${pathOf(row, { ids: unknownIds(sample) })}?surprise=1`
        const accept = { accept: 'text/html', 'content-type': 'text/plain' }
        const broken = await ask(world, row, sample, {
          as: caller,
          path,
          headers: { ...accept, ...headers },
          ...(row.body && { body: '{' }),
        })
        assert.equal(broken.json.code, expected.code, `${name}: ${broken.text}`)
        assert.equal(world.contents(), untouched, `${name} wrote`)
      }
      assert.deepEqual(world.incidents, [])
    })
})

describe('who may is let in', () => {
  for (const row of routes)
    test(keyOf(row), async () => {
      const world = await openCast()
      try {
        const sample = await sampleOf(row, world)
        if (row.path.endsWith('/test')) world.service.start()
        const answer = await ask(world, row, sample, { as: entitled(sample, world) })
        const { status, code } = sample.granted ?? { status: 200, code: undefined }
        assert.deepEqual(
          { status: answer.status, code: answer.json.code },
          { status, code },
          answer.text,
        )
        // Admins hold every permission, but may not act on a case that another reviewer has.
        if (row.method === 'GET' && sample.audience !== 'application') {
          const byAdmin = await ask(world, row, sample, { as: world.home.admin })
          assert.equal(byAdmin.status, 200, byAdmin.text)
        }
        assert.deepEqual(world.incidents, [])
      } finally {
        await world.close()
      }
    })
})

/** An id of the same form that nothing has. */
function unknownLike(id: string): string {
  return id.replace(/_.*$/, `_${'0'.repeat(26)}`)
}

function unknownIds({ ids = {} }: Sample): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, unknownLike(id)]))
}

describe('another’s id answers byte for byte like an unknown one', () => {
  let world: Cast
  before(async () => {
    world = await openCast()
  })
  after(() => world.close())

  const withIds = routes.filter(
    ({ path, auth }) => auth !== 'none' && (path.includes(':') || path === '/v1/review-events'),
  )
  for (const row of withIds)
    test(keyOf(row), async () => {
      const sample = await sampleOf(row, world)
      const unknown: Sample = {
        ...sample,
        ids: unknownIds(sample),
        query: sample.query?.replace(/=(.*)$/, (_, id: string) => `=${unknownLike(id)}`) ?? '',
      }
      const untouched = world.contents()
      const strangers = row.host === 'portal' ? [world.away.admin] : [world.away.app, world.sibling]
      for (const as of strangers) {
        const [foreign, nowhere] = [
          await ask(world, row, sample, { as }),
          await ask(world, row, unknown, { as }),
        ]
        assert.equal(foreign.status, 404, foreign.text)
        assert.deepEqual(comparable(foreign), comparable(nowhere))
      }
      // In the sandbox, what lies at home is another tenant's.
      if (row.method === 'GET' && row.host === 'portal') {
        const headers = { 'x-service-sandbox': 'true' }
        const as = world.home.admin
        const [athome, nowhere] = [
          await ask(world, row, sample, { as, headers }),
          await ask(world, row, unknown, { as, headers }),
        ]
        assert.equal(athome.status, 404, athome.text)
        assert.deepEqual(comparable(athome), comparable(nowhere))
      }
      assert.equal(world.contents(), untouched)
      assert.deepEqual(world.incidents, [])
    })

  test('one id of ours does not open the rest of a path', async () => {
    const { home, away, call } = world
    const key = await call({
      host: 'portal',
      method: 'DELETE',
      path: `/v1/applications/${away.app.applicationId}/application-keys/${home.app.keyId}`,
      as: away.admin,
    })
    assert.equal(key.status, 404)
    const replay = await call({
      host: 'portal',
      method: 'POST',
      path: `/v1/webhooks/${away.webhookId}/deliveries/${unknownLike('evt_1')}/replay`,
      as: away.admin,
      body: {},
    })
    assert.equal(replay.status, 404)
  })

  test('an id in a body tells nothing either', async () => {
    const { home, away, reviewer, opened, call } = world
    const review = await opened(home.app)
    await call({
      host: 'portal',
      method: 'POST',
      path: `/v1/review-cases/${review.reviewCaseId}/claim`,
      as: reviewer,
      body: {},
    })
    const reassign = async (reviewerId: string) =>
      call({
        host: 'portal',
        method: 'POST',
        path: `/v1/review-cases/${review.reviewCaseId}/reassign`,
        as: reviewer,
        body: { caseVersion: 2, reviewerId },
      })
    const stranger = away.admin.actor.memberId
    const [foreign, nowhere] = [await reassign(stranger), await reassign(unknownLike(stranger))]
    assert.equal(foreign.json.code, 'reviewer_not_eligible')
    assert.deepEqual(comparable(foreign), comparable(nowhere))
  })
})

test('the sandbox shows its own tenant, with the caller’s own rights', async () => {
  const world = await openCast()
  try {
    const { sandbox, home, reviewer, auditor, call, opened } = world
    const shown = await opened(sandbox.app)
    const headers = { 'x-service-sandbox': 'true' }
    const read = (path: string, as: Person) =>
      call({ host: 'portal', method: 'GET', path, as, headers })
    const review = await read(`/v1/review-cases/${shown.reviewCaseId}`, reviewer)
    assert.deepEqual([review.status, review.json.tenantId], [200, sandbox.tenantId])
    const list = await read('/v1/review-cases', home.admin)
    assert.deepEqual([list.status, list.json.totalCount], [200, 1])
    const webhooks = await read('/v1/webhooks', auditor)
    assert.deepEqual(
      (webhooks.json.webhooks as readonly { id: string }[]).map(({ id }) => id),
      [sandbox.webhookId],
    )
    assert.equal((await read('/v1/review-cases', auditor)).status, 403)
    // Whoever writes it another way means it too; `false` is the only way out.
    for (const value of ['TRUE', '1', 'yes', 'true, true']) {
      const other = await call({
        host: 'portal',
        method: 'POST',
        path: '/v1/applications',
        as: home.admin,
        body: { name: 'x' },
        headers: { 'x-service-sandbox': value },
      })
      assert.equal(other.json.code, 'sandbox_read_only', value)
    }
    const off = await call({
      host: 'portal',
      method: 'POST',
      path: '/v1/applications',
      as: home.admin,
      body: { name: 'x' },
      headers: { 'x-service-sandbox': 'false' },
    })
    assert.equal(off.status, 200)
    // Behind the adapter the core refuses a guest's change too.
    const guest = { ...home.admin.actor, tenantId: sandbox.tenantId, guest: true } as const
    const changed = await world.service.applications.create(guest, { name: 'x' })
    assert.equal(changed.ok ? null : changed.refusal.code, 'sandbox_read_only')
  } finally {
    await world.close()
  }
})

test('a key is worth nothing from the request after its revocation', async () => {
  const world = await openCast()
  try {
    const { home, opened, call } = world
    const { reviewCaseId } = await opened(home.app)
    const read = () =>
      call({
        host: 'ingest',
        method: 'GET',
        path: `/v1/review-cases/${reviewCaseId}`,
        as: home.app,
      })
    assert.equal((await read()).status, 200)
    const revoked = await call({
      host: 'portal',
      method: 'DELETE',
      path: `/v1/applications/${home.app.applicationId}/application-keys/${home.app.keyId}`,
      as: home.admin,
    })
    assert.deepEqual([revoked.status, revoked.json.status], [200, 'Revoked'])
    assert.equal((await read()).status, 401)
    const stored = world.contents()
    assert.equal(stored.includes(home.app.key), false, 'the value is stored')
    const list = await call({
      host: 'portal',
      method: 'GET',
      path: `/v1/applications/${home.app.applicationId}/application-keys`,
      as: home.admin,
    })
    assert.equal(list.text.includes(home.app.key), false)
    const [masked] = list.json.applicationKeys as readonly { prefix: string }[]
    assert.equal(masked?.prefix, home.app.key.slice(0, 12))
  } finally {
    await world.close()
  }
})
