import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { ApiError, type CaseAnswer, createClient } from '../index.ts'
import { createPortalClient } from '../portal.ts'
import { systemSurroundings } from '../surroundings.ts'
import { ingestUrl, key, refusal, type Scripted, type Swap, scripted } from './support.ts'

const opening = {
  sessionId: 's',
  checkpointId: 'c',
  reasonCategory: 'high_risk_action',
  presentation: { action: 'pay' },
} as const
const review = { reviewCaseId: 'rc_1', caseVersion: 3, eventSequence: 4, state: 'open' }

function clientOf(answer: Parameters<typeof scripted>[0], apiKey = key, swap: Swap = () => ({})) {
  const world = scripted(answer)
  const surroundings = { ...world.surroundings, ...swap(world.surroundings) }
  return { ...world, client: createClient({ ingestUrl, apiKey, surroundings }) }
}

function errorOf(done: { value: unknown } | { error: unknown }): ApiError {
  assert.ok('error' in done && done.error instanceof ApiError, inspect(done))
  return done.error
}

describe('keys', () => {
  it('an application key goes as it is, a compound key in two headers', async () => {
    for (const [apiKey, expected] of [
      [key, { 'x-api-key': key }],
      [
        'svc_cust_acme.AbCdEf012345.s3cret',
        { 'x-api-key': 's3cret', 'x-key-component': 'AbCdEf012345' },
      ],
    ] as const) {
      const { client, requests } = clientOf(() => ({ status: 200, body: {} }), apiKey)
      await client.ingest.usage()
      const { accept: _, ...headers } = requests[0]?.headers ?? {}
      assert.deepEqual(headers, expected)
    }
  })

  it('is SERVICE_API_KEY of the environment where none is given', async () => {
    const world = scripted(() => ({ status: 200, body: {} }))
    process.env.SERVICE_API_KEY = 'svc_cust_acme.AbCdEf012345.s3cret'
    try {
      const { surroundings } = world
      await createClient({ ingestUrl, surroundings }).ingest.usage()
    } finally {
      delete process.env.SERVICE_API_KEY
    }
    assert.equal(world.requests[0]?.headers['x-api-key'], 's3cret')
    assert.throws(() => createClient({ ingestUrl }), TypeError)
  })

  it('go to the fetch of surroundings that are a class', async () => {
    const { surroundings, requests } = scripted(() => ({ status: 200, body: {} }))
    class Network {
      readonly #fetch = surroundings.fetch
      fetch(...given: Parameters<typeof surroundings.fetch>) {
        return this.#fetch(...given)
      }
    }
    await createClient({ ingestUrl, apiKey: 'k', surroundings: new Network() }).ingest.usage()
    assert.equal(requests.length, 1)
  })

  it('are shown by no client and no error, and are sent to no other origin', async () => {
    const { client, requests, outcome } = clientOf(() => ({
      status: 307,
      headers: { location: 'https://elsewhere.example/' },
    }))
    const error = errorOf(await outcome(client.ingest.usage()))
    assert.equal(error.code, 'unexpected_answer')
    for (const shown of [client, error])
      assert.equal(
        `${inspect(shown, { depth: 9, showHidden: true })}${JSON.stringify(shown)}`.includes(key),
        false,
      )
    assert.deepEqual(
      requests.map(({ redirect }) => redirect),
      ['manual'],
    )
    assert.throws(
      () => createClient({ ingestUrl, apiKey: 'my secret key' }),
      (thrown: Error) => thrown instanceof TypeError && !thrown.message.includes('secret'),
    )
  })

  it('of sessions are checked, and shown by no error', () => {
    for (const token of ['SECRET\nx', 'SECRET; a=b', ''])
      assert.throws(
        () => createPortalClient({ portalUrl: 'https://portal.example', token }),
        (error) => error instanceof TypeError && !error.message.includes('SECRET'),
      )
  })

  it('go over https, or http on loopback, to an origin', () => {
    for (const url of [
      'http://ingest.example',
      'ftp://x',
      'ingest.example',
      'https://u:p@x.example',
      'https://u@x.example',
      'https://:p@x.example',
      'https://x/p',
      'https://x/?q',
      'https://x/#f',
    ])
      assert.throws(() => createClient({ ingestUrl: url, apiKey: key }), TypeError, url)
    for (const url of [
      'https://x.example/',
      'http://127.0.0.1:8443',
      'http://localhost',
      'http://[::1]:1',
    ])
      createClient({ ingestUrl: url, apiKey: key })
  })
})

describe('repeats', () => {
  const failures: fc.Arbitrary<Scripted> = fc.oneof(
    fc.constant<Scripted>('network'),
    fc.nat(9).map((after) => ({
      ...(refusal('rate_limited', 429) as object),
      status: 429,
      headers: { 'retry-after': String(after) },
    })),
    fc.constantFrom<Scripted>(
      refusal('busy', 503),
      refusal('unavailable', 503, { written: false }),
      refusal('unavailable', 503, { written: null }),
      { status: 502 },
    ),
  )
  const unwritten = (given: Scripted) =>
    typeof given === 'object' &&
    'status' in given &&
    (given.status === 429 ||
      (given.body as { code?: string })?.code === 'busy' ||
      (given.body as { written?: unknown })?.written === false)

  function repeatsWhatItMay(swap?: Swap, drawn: fc.Parameters<[Scripted[], boolean]> = {}) {
    return fc.assert(
      fc.asyncProperty(
        fc.array(failures, { maxLength: 4 }),
        fc.boolean(),
        async (script, reads) => {
          const { client, clock, requests, outcome } = clientOf(
            (_, nth) => script[nth] ?? { status: 200, body: review },
            key,
            swap,
          )
          const act = reads
            ? client.reviewCases.read({ reviewCaseId: 'rc_1' })
            : client.reviewCases.reportContinuation({ reviewCaseId: 'rc_1', outcome: 'resumed' })
          const done = await outcome(act)
          const stops = script.findIndex((given) => !reads && !unwritten(given))
          const expected = Math.min(stops === -1 ? script.length + 1 : stops + 1, 3)
          assert.equal(requests.length, expected)
          assert.equal('value' in done, requests.length === script.length + 1)
          assert.equal(clock.waiting(), 0)
          for (const [at, given] of script.slice(0, requests.length - 1).entries()) {
            const waited = (requests[at + 1]?.at ?? 0) - (requests[at]?.at ?? 0)
            const asked =
              typeof given === 'object' && 'status' in given
                ? Number(given.headers?.['retry-after'] ?? 0) * 1_000
                : 0
            assert.ok(
              waited >= Math.max(asked, 500 * 2 ** at),
              `${waited} ms before repeat ${at + 1}`,
            )
          }
        },
      ),
      { numRuns: 60, ...drawn },
    )
  }

  it('what may be repeated is, twice, after what the service asks for; nothing else is', async () => {
    await repeatsWhatItMay()
    const mutants: Readonly<Record<string, Swap>> = {
      'waits half as long': ({ wait }) => ({ wait: (ms, signal) => wait(ms / 2, signal) }),
      'takes a lack of room for a fault of the request': ({ fetch }) => ({
        fetch: async (url, init) => {
          const answer = await fetch(url, init)
          return answer.status === 503 ? new Response(answer.body, { status: 400 }) : answer
        },
      }),
      'repeats what may have been written': ({ fetch }) => ({
        fetch: async (url, init) => {
          const answer = await fetch(url, init)
          return answer.status === 502 ? fetch(url, init) : answer
        },
      }),
    }
    // Drawn alike in every run: whether chance finds a mutant is no news.
    for (const [name, mutant] of Object.entries(mutants))
      await assert.rejects(repeatsWhatItMay(mutant, { seed: 1, endOnFailure: true }), name)
  })

  it('an opening keeps its key when it is repeated, and the next one has another', async () => {
    const { client, requests, outcome } = clientOf((_, nth) =>
      nth === 0 ? 'network' : { status: 200, body: review },
    )
    await outcome(client.reviewCases.open(opening))
    await outcome(client.reviewCases.open(opening))
    const keys = requests.map(({ body }) => body.idempotencyKey)
    assert.equal(keys[0], keys[1])
    assert.notEqual(keys[1], keys[2])
  })

  it('what the service asks to wait for beyond the deadline is told at once', async () => {
    const { client, requests, clock, outcome } = clientOf(() => ({
      ...(refusal('account_suspended', 503) as object),
      status: 503,
      headers: { 'retry-after': '3600' },
    }))
    const error = errorOf(await outcome(client.ingest.usage()))
    assert.deepEqual(
      [error.code, error.status, error.retryAfter, error.requestId],
      ['account_suspended', 503, 3600, 'req_1'],
    )
    assert.deepEqual([requests.length, clock.monotonic()], [1, 0])
  })

  it('a longer wait than the caller takes is told at once, a shorter one waited for', async () => {
    for (const [asked, expected] of [
      ['3', 1],
      ['2', 3],
    ] as const) {
      const { requests, surroundings, outcome } = scripted(() => ({
        ...(refusal('too_many_attempts', 429) as object),
        status: 429,
        headers: { 'retry-after': asked },
      }))
      const options = { portalUrl: 'https://portal.example', longestWaitMs: 2_000, surroundings }
      const error = errorOf(await outcome(createPortalClient(options).auth.session()))
      assert.deepEqual([error.code, requests.length], ['too_many_attempts', expected], asked)
    }
  })
})

describe('a call', () => {
  it('waits as long as a timer can, where it is asked to wait longer', async () => {
    const ended = new AbortController()
    let over = false
    const waiting = systemSurroundings.wait(2 ** 40, ended.signal).then(
      () => {
        over = true
      },
      () => {},
    )
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(over, false)
    ended.abort()
    await waiting
  })

  it('ends by its deadline when nothing answers', async () => {
    const { client, outcome } = clientOf(() => 'silence')
    const error = errorOf(await outcome(client.ingest.usage({}, { deadlineMs: 700 })))
    assert.equal(error.code, 'deadline_exceeded')
  })

  it('ends by its signal, with the reason of the signal', async () => {
    const { client, outcome } = clientOf(() => 'silence')
    const controller = new AbortController()
    const asked = client.ingest.usage({}, { signal: controller.signal })
    controller.abort('enough')
    assert.deepEqual(await outcome(asked), { error: 'enough' })
  })

  it('sends the tag of the case that it is given, and gives it back when it has not changed', async () => {
    const seen = review as never
    const { client, requests } = clientOf(({ method }) =>
      method === 'GET' ? { status: 304 } : { status: 200, body: { ...review, caseVersion: 4 } },
    )
    assert.equal(await client.reviewCases.read({ case: seen }), seen)
    await client.reviewCases.cancel({ case: seen, reasonCategory: 'other' as never })
    assert.deepEqual(
      requests.map(({ path, headers, body }) => [
        path,
        headers['if-none-match'],
        headers['cache-control'],
        headers['if-match'],
        body,
      ]),
      [
        ['/v1/review-cases/rc_1', '"3.4"', 'max-age=0', undefined, {}],
        [
          '/v1/review-cases/rc_1/cancel',
          undefined,
          undefined,
          '"3.4"',
          { reasonCategory: 'other' },
        ],
      ],
    )
  })

  it('asks for the version of a case where its body alone has it', async () => {
    const seen = review as unknown as CaseAnswer
    const { requests, surroundings } = scripted(() => ({ status: 200, body: {} }))
    const { reviewCases } = createPortalClient({ portalUrl: ingestUrl, surroundings })
    const choice = { presentationDigest: 'd', decision: 'approved' } as const
    await reviewCases.decide({ case: seen, ...choice })
    // @ts-expect-error: no header stands for the version
    await reviewCases.stateDecision({ case: seen, ...choice })
    await reviewCases.stateDecision({ case: seen, caseVersion: 3, ...choice })
    assert.deepEqual(
      requests.map(({ body }) => body),
      [choice, choice, { caseVersion: 3, ...choice }],
    )
  })

  it('names one thing in each part of a path', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: {} }))
    await client.ingest.readBatch({ batchId: 'a/b?c#d' })
    assert.equal(requests[0]?.path, '/v1/ingest/batches/a%2Fb%3Fc%23d')
    for (const batchId of ['', '.', '..'])
      await assert.rejects(client.ingest.readBatch({ batchId }), TypeError)
  })
})
