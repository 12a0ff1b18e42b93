import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { ApiError, createClient } from '../index.ts'
import { createPortalClient } from '../portal.ts'
import { ingestUrl, key, refusal, type Scripted, scripted } from './support.ts'

const portalUrl = 'https://portal.example'

function portalOf(answer: Parameters<typeof scripted>[0]) {
  const world = scripted(answer)
  const { surroundings } = world
  return { ...world, portal: createPortalClient({ portalUrl, token: 't', surroundings }) }
}

function errorOf(done: { value: unknown } | { error: unknown }): ApiError {
  assert.ok('error' in done && done.error instanceof ApiError, inspect(done))
  return done.error
}

describe('what is not of the service', () => {
  const page: Scripted = {
    status: 200,
    text: '<!doctype html><title>Log in</title>',
    headers: { 'content-type': 'text/html; charset=utf-8' },
  }

  it('is unexpected_answer, whatever it is, and is not asked for again', async () => {
    for (const answer of [page, { status: 200, body: null }, { status: 200, body: ['ok'] }]) {
      const { portal, requests, outcome } = portalOf(() => answer)
      const acts: readonly (() => Promise<unknown>)[] = [
        () => portal.auth.session(),
        () => Promise.resolve(portal.applications.list()),
        () => portal.evidence.csv({ sessionId: 's' }),
        async () => {
          for await (const _ of portal.applications.list()) assert.fail('there is none')
        },
        async () => {
          for await (const _ of portal.reviewCases.list()) assert.fail('there is none')
        },
      ]
      for (const act of acts) {
        const error = errorOf(await outcome(act()))
        assert.deepEqual([error.code, error.status], ['unexpected_answer', 200])
      }
      assert.equal(requests.length, acts.length)
    }
  })

  it('is unexpected_answer where a list has no rows, or no end', async () => {
    for (const body of [{}, { applications: 'none' }, { rows: null }]) {
      const { portal, outcome } = portalOf(() => ({ status: 200, body }))
      const all = async () => {
        for await (const _ of portal.applications.list()) assert.fail('there is none')
      }
      assert.equal(errorOf(await outcome(all())).code, 'unexpected_answer')
      const cases = async () => {
        for await (const _ of portal.reviewCases.list()) assert.fail('there is none')
      }
      assert.equal(errorOf(await outcome(cases())).code, 'unexpected_answer')
    }
    const { portal, requests, outcome } = portalOf(() => ({ status: 200, body: { rows: [] } }))
    const cases = async () => {
      for await (const _ of portal.reviewCases.list()) assert.fail('there is none')
    }
    await outcome(cases())
    assert.equal(requests.length, 1)
  })

  it('is asked for again where a proxy says that the service is away', async () => {
    for (const status of [408, 429, 500, 502, 503, 504, 522]) {
      const { portal, requests, outcome } = portalOf((_, nth) =>
        nth === 0 ? { ...page, status } : { status: 200, body: {} },
      )
      assert.ok('value' in (await outcome(portal.auth.session())), String(status))
      assert.equal(requests.length, 2)
    }
    for (const status of [201, 204, 302, 400, 401, 404]) {
      const { portal, requests, outcome } = portalOf(() => ({
        status,
        ...(status !== 204 && { body: { message: 'no' } }),
      }))
      const error = errorOf(await outcome(portal.auth.session()))
      assert.deepEqual([error.code, error.status], ['unexpected_answer', status])
      assert.equal(requests.length, 1)
    }
  })

  it('is no answer where the body is cut', async () => {
    const { surroundings, outcome } = scripted(() => ({ status: 200, body: {} }))
    let tries = 0
    const fetch = async () => {
      tries++
      const body = new ReadableStream({ start: (stream) => stream.error(new TypeError('cut')) })
      return new Response(body, { status: 200 })
    }
    const client = createClient({
      ingestUrl,
      apiKey: key,
      surroundings: { ...surroundings, fetch, random: () => 1 },
    })
    const asking = client.ingest.usage()
    const [error] = await Promise.all([
      outcome(asking).then(errorOf),
      surroundings.fetch(ingestUrl, {}),
    ])
    assert.deepEqual([error.code, tries], ['no_answer', 3])
  })
})

describe('Retry-After', () => {
  const at = 'Sun, 22 Nov 2026 10:00:00 GMT'
  for (const [told, date, seconds] of [
    ['7', undefined, 7],
    ['Sun, 22 Nov 2026 10:00:09 GMT', at, 9],
    ['Sun, 22 Nov 2026 09:00:00 GMT', at, 0],
    ['soon', at, null],
    ['', at, null],
  ] as const)
    it(`${told || 'an empty one'} is ${seconds} s`, async () => {
      const headers = { 'retry-after': told, ...(date && { date }) }
      const limited = { ...(refusal('rate_limited', 429) as object), status: 429, headers }
      const { portal, requests, outcome } = portalOf((_, nth) =>
        nth === 0 ? limited : { status: 200, body: {} },
      )
      await outcome(portal.auth.session())
      assert.equal(requests[1]?.at, Math.max(500, (seconds ?? 0) * 1_000))
      const { portal: waitless, outcome: told429 } = portalOf(() => limited)
      const error = errorOf(await told429(waitless.auth.session({}, { deadlineMs: 100 })))
      assert.equal(error.retryAfter, seconds)
    })

  it('a date is counted from this clock where the sender tells none', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }
    const limited = { ...(refusal('rate_limited', 429) as object), status: 429, headers }
    const { portal, outcome } = portalOf(() => limited)
    const { retryAfter } = errorOf(await outcome(portal.auth.session()))
    assert.ok(retryAfter !== null && retryAfter > 30 && retryAfter <= 60, String(retryAfter))
  })
})

describe('a removal', () => {
  const notFound = refusal('not_found', 404)

  it('whose answer was lost is told as done when it is found done', async () => {
    const { portal, requests, outcome } = portalOf((_, nth) => (nth === 0 ? 'network' : notFound))
    const acts = [
      [() => portal.webhooks.remove({ webhookId: 'wh_1' }), { id: 'wh_1', deleted: true }],
      [
        () => portal.notificationChannels.remove({ channelId: 'ch_1' }),
        { channelId: 'ch_1', deleted: true },
      ],
      [
        () => portal.alertRules.remove({ alertRuleId: 'rule_1' }),
        { alertRuleId: 'rule_1', deleted: true },
      ],
    ] as const
    for (const [act, answer] of acts) {
      requests.length = 0
      assert.deepEqual(await outcome<unknown>(act()), { value: answer })
      assert.equal(requests.length, 2)
    }
  })

  it('of what never was is not_found, also after it was refused for a lack of room', async () => {
    for (const first of [notFound, refusal('busy', 503), refusal('rate_limited', 429)]) {
      const { portal, outcome } = portalOf((_, nth) => (nth === 0 ? first : notFound))
      const done = await outcome(portal.webhooks.remove({ webhookId: 'wh_1' }))
      assert.equal(errorOf(done).code, 'not_found')
    }
  })

  it('that answers with what was removed is not sent again', async () => {
    const { portal, requests, outcome } = portalOf(() => 'network')
    const removal = { sessionId: 's', annotationId: 'ann_1' }
    assert.equal(errorOf(await outcome(portal.annotations.remove(removal))).code, 'no_answer')
    assert.equal(requests.length, 1)
  })
})
