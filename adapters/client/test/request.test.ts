import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { ApiError, createClient } from '../index.ts'
import {
  ingestUrl,
  key,
  refusal,
  type Scripted,
  type Seen,
  type Swap,
  scripted,
} from './support.ts'

const asked = {
  sessionId: 's',
  checkpointId: 'c',
  reasonCategory: 'high_risk_action',
  presentation: { action: 'pay' },
} as const

/** A service with cases, as far as waiting needs it; `fault` may answer in its place, before or after it acted. */
function service(
  fault: (
    seen: Seen,
    nth: number,
  ) => { readonly answer: Scripted; readonly acts: boolean } | null = () => null,
  swap: Swap = () => ({}),
) {
  const cases = new Map<string, Record<string, unknown>>()
  const keys = new Map<string, string>()

  function act({ method, path, body, headers }: Seen): Scripted {
    if (method === 'POST' && path === '/v1/review-cases') {
      const { idempotencyKey, ...rest } = body
      const told = JSON.stringify(rest)
      const before = keys.get(String(idempotencyKey))
      if (before !== undefined && before !== told) return refusal('idempotency_conflict', 409)
      keys.set(String(idempotencyKey), told)
      const id = `rc_${body.checkpointId}`
      if (!cases.has(id))
        cases.set(id, {
          ...rest,
          reviewCaseId: id,
          caseVersion: 1,
          eventSequence: 1,
          state: 'open',
          decision: null,
          checkpoint: { checkpointId: body.checkpointId },
          presentationDigest: null,
          response: null,
          followUps: [],
        })
      return { status: 200, body: cases.get(id) }
    }
    const [, , , id = '', command] = path.split('/')
    const found = cases.get(id)
    if (!found) return refusal('not_found', 404)
    const tag = `"${found.caseVersion}.${found.eventSequence}"`
    if (command === 'cancel') change(id, { state: 'cancelled', decision: 'cancelled' })
    if (command === 'follow-up-response') {
      if (headers['if-match'] !== tag) return refusal('precondition_failed', 412, { case: found })
      const questions = found.followUps as readonly object[]
      const answered = { ...questions.at(-1), answer: body.answer }
      change(id, { followUps: [...questions.slice(0, -1), answered], decision: null })
    }
    if (method === 'GET' && headers['if-none-match'] === tag) return { status: 304 }
    return { status: 200, body: cases.get(id) }
  }

  function change(id: string, more: object): void {
    const was = cases.get(id) ?? {}
    const [version, sequence] = [Number(was.caseVersion) + 1, Number(was.eventSequence) + 1]
    cases.set(id, { ...was, ...more, caseVersion: version, eventSequence: sequence })
  }

  const world = scripted((seen, nth) => {
    const broken = fault(seen, nth)
    if (!broken) return act(seen)
    if (broken.acts) act(seen)
    return broken.answer
  })
  const surroundings = { ...world.surroundings, ...swap(world.surroundings) }
  const client = createClient({ ingestUrl, apiKey: key, surroundings })
  const decide = (id: string, decision: string, response: unknown = null) =>
    change(id, { state: 'decided', decision, response, presentationDigest: 'd'.repeat(64) })
  return { ...world, client, cases, change, decide }
}

function resultOf<T>(done: { value: T } | { error: unknown }): T {
  assert.ok('value' in done, inspect(done))
  return done.value
}

describe('request', () => {
  it('waits by reading ever less often, without the body of what has not changed', async () => {
    const { client, requests, decide, clock, outcome } = service()
    clock.after(60_000, () => decide('rc_c', 'approved'))
    const { approved, decision, presentationDigest } = resultOf(
      await outcome(client.reviewCases.request(asked)),
    )
    assert.deepEqual([approved, decision, presentationDigest], [true, 'approved', 'd'.repeat(64)])
    const reads = requests.filter(({ method }) => method === 'GET')
    const gaps = reads.slice(1).map(({ at }, i) => at - (reads[i]?.at ?? 0))
    assert.ok(
      gaps.every((gap, i) => gap >= (gaps[i - 1] ?? 0) && gap <= 15_000),
      inspect(gaps),
    )
    assert.ok(reads.length < 15)
    assert.ok(reads.every(({ headers }) => headers['if-none-match'] === '"1.1"'))
  })

  it('is told by the callback before the next read, whoever decided what', async () => {
    for (const decision of [
      'approved',
      'rejected',
      'response_submitted',
      'cancelled',
      'expired',
    ] as const) {
      const { client, clock, outcome, requests } = service()
      const called = {
        decision,
        reviewCaseId: 'rc_c',
        caseVersion: 3,
        sessionId: 's',
        checkpointId: 'c',
        presentationDigest: null,
        response: { limit: 5 },
      }
      clock.after(2_700, () => assert.equal(client.reviewCases.settle(called), true))
      const done = resultOf(await outcome(client.reviewCases.request(asked)))
      assert.deepEqual(done, { ...called, approved: decision === 'approved' })
      assert.ok(clock.monotonic() < 3_000)
      assert.equal(client.reviewCases.settle(called), false)
      assert.equal(requests.filter(({ method }) => method === 'POST').length, 1)
    }
  })

  it('again, as after a restart, leads to the same case and its outcome', async () => {
    const { client, cases, decide, outcome, requests, surroundings } = service()
    const lost = new AbortController()
    const first = client.reviewCases.request(asked, { signal: lost.signal })
    await new Promise((resolve) => setTimeout(resolve, 10))
    lost.abort('the process ended')
    assert.deepEqual(await outcome(first), { error: 'the process ended' })
    assert.equal(cases.get('rc_c')?.state, 'open')
    decide('rc_c', 'rejected')
    const restarted = createClient({ ingestUrl, apiKey: key, surroundings })
    const { approved, decision } = resultOf(await outcome(restarted.reviewCases.request(asked)))
    assert.deepEqual([approved, decision, cases.size], [false, 'rejected', 1])
    assert.equal(requests.filter(({ method }) => method === 'POST').length, 2)
  })

  it('for another action at a checkpoint is refused, not answered with what was approved before', async () => {
    const { client, decide, outcome } = service()
    const first = client.reviewCases.request(asked)
    await new Promise((resolve) => setTimeout(resolve, 10))
    decide('rc_c', 'approved')
    await outcome(first)
    const other = { ...asked, presentation: { action: 'pay more' } }
    const done = await outcome(client.reviewCases.request(other))
    assert.ok('error' in done && done.error instanceof ApiError)
    assert.equal(done.error.code, 'idempotency_conflict')
  })

  function losesNothing(swap?: Swap, drawn: object = {}) {
    const away = fc.constantFrom<Scripted>(
      'network',
      'silence',
      { status: 502 },
      refusal('busy', 503),
      refusal('unavailable', 503, { written: null }),
      refusal('rate_limited', 429),
    )
    return fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.record({ answer: away, acts: fc.boolean() })), { maxLength: 12 }),
        async (faults) => {
          const { client, cases, change, outcome, clock } = service(
            (_, nth) => faults[nth] ?? null,
            swap,
          )
          const decided = () =>
            cases.has('rc_c')
              ? change('rc_c', { state: 'decided', decision: 'approved' })
              : clock.after(1_000, decided)
          clock.after(5_000, decided)
          const done = resultOf(await outcome(client.reviewCases.request(asked)))
          assert.deepEqual([done.approved, cases.size], [true, 1])
        },
      ),
      { numRuns: 30, ...drawn },
    )
  }

  it('loses and doubles nothing, whenever the service is away', async () => {
    await losesNothing()
    const mutants: Readonly<Record<string, Swap>> = {
      'takes a lost answer for a refusal': ({ fetch }) => ({
        fetch: (url, init) => fetch(url, init).catch(() => new Response('{}', { status: 400 })),
      }),
      'asks elsewhere once it was not answered': ({ fetch }) => {
        let lost = 0
        return {
          fetch: async (url, init) => {
            const body =
              typeof init.body === 'string' && lost > 0
                ? init.body.replace('"checkpointId":"c"', `"checkpointId":"c-${lost}"`)
                : init.body
            try {
              return await fetch(url, { ...init, body: body ?? null })
            } catch (error) {
              lost++
              throw error
            }
          },
        }
      },
    }
    for (const [name, mutant] of Object.entries(mutants))
      await assert.rejects(losesNothing(mutant, { seed: 1, endOnFailure: true }), name)
  })

  it('cancels the case when it is aborted only where that was asked', async () => {
    for (const cancelOnAbort of [undefined, 'end_user_cancelled'] as const) {
      const { client, cases, outcome } = service()
      const controller = new AbortController()
      const waiting = client.reviewCases.request(asked, {
        signal: controller.signal,
        ...(cancelOnAbort && { cancelOnAbort }),
        onOpen: () => setImmediate(() => controller.abort('left')),
      })
      assert.deepEqual(await outcome(waiting), { error: 'left' })
      assert.equal(cases.get('rc_c')?.state, cancelOnAbort ? 'cancelled' : 'open')
    }
  })

  it('takes no approval of a case that shows something else, whoever opened it', async () => {
    const { client, cases, change, decide, outcome, requests } = service()
    const opened = client.reviewCases.open({ ...asked, idempotencyKey: 'of another' })
    assert.ok('value' in (await outcome(opened)))
    decide('rc_c', 'approved')
    for (const presentation of [
      { action: 'pay', amount: '1000000 EUR' },
      { action: 'refund' },
      { action: ['pay'] },
      {},
    ]) {
      const before = requests.length
      const done = await outcome(client.reviewCases.request({ ...asked, presentation }))
      assert.ok('error' in done && done.error instanceof ApiError, inspect(done))
      assert.equal(done.error.code, 'idempotency_conflict')
      assert.equal(requests.length, before + 1)
    }
    // What was erased since shows nothing.
    change('rc_c', { presentation: null })
    assert.ok('error' in (await outcome(client.reviewCases.request(asked))))
    assert.equal(cases.size, 1)
  })

  it('takes members in any order for the same', async () => {
    const { client, decide, outcome } = service()
    const presentation = { action: 'pay', to: { name: 'ACME', city: 'Wien' } }
    const idempotencyKey = 'of another'
    await outcome(client.reviewCases.open({ ...asked, presentation, idempotencyKey }))
    decide('rc_c', 'approved')
    const turned = { to: { city: 'Wien', name: 'ACME', note: undefined }, action: 'pay' }
    const done = await outcome(client.reviewCases.request({ ...asked, presentation: turned }))
    assert.equal(resultOf(done).approved, true)
  })

  it('answers the question that waits, not one that a reassignment dropped', async () => {
    const { client, change, cases, decide, clock, outcome } = service()
    const dropped = { question: 'Dropped?', answer: null }
    clock.after(1_500, () => change('rc_c', { followUps: [dropped], decision: null }))
    clock.after(20_000, () =>
      change('rc_c', {
        followUps: [dropped, { question: 'Who?', answer: null }],
        decision: 'follow_up_required',
      }),
    )
    clock.after(60_000, () => decide('rc_c', 'approved'))
    const questions: string[] = []
    const onFollowUp = (question: string) => {
      questions.push(question)
      return 'ACME'
    }
    const done = await outcome(client.reviewCases.request(asked, { onFollowUp }))
    assert.equal(resultOf(done).approved, true)
    assert.deepEqual(questions, ['Who?'])
    assert.deepEqual(cases.get('rc_c')?.followUps, [dropped, { question: 'Who?', answer: 'ACME' }])
  })

  it("answers a reviewer's question", async () => {
    const { client, change, cases, decide, clock, outcome } = service()
    clock.after(1_500, () =>
      change('rc_c', {
        followUps: [{ question: 'Who?', answer: null }],
        decision: 'follow_up_required',
      }),
    )
    clock.after(30_000, () => decide('rc_c', 'approved'))
    const asking = client.reviewCases.request(asked, {
      onFollowUp: (question) => `${question} ACME`,
    })
    assert.equal(resultOf(await outcome(asking)).approved, true)
    assert.deepEqual(cases.get('rc_c')?.followUps, [{ question: 'Who?', answer: 'Who? ACME' }])
  })

  it('ends with the refusal of a request that is wrong', async () => {
    const { client, outcome, requests } = service(() => ({
      answer: refusal('invalid_request', 400),
      acts: false,
    }))
    const done = await outcome(client.reviewCases.request(asked))
    assert.ok('error' in done && done.error instanceof ApiError)
    assert.deepEqual(
      [done.error.code, done.error.errors.length, requests.length],
      ['invalid_request', 1, 1],
    )
  })

  it('goes on where its answer to a question came too late, or was heard and not acknowledged', async () => {
    for (const lost of [true, false]) {
      let answers = 0
      const world = service((seen) => {
        if (!seen.path.endsWith('follow-up-response') || answers++ > 0) return null
        if (lost) return { answer: 'network', acts: true }
        world.change('rc_c', {
          followUps: [{ question: 'Who?', answer: 'a colleague' }],
          decision: null,
        })
        const answer = refusal('precondition_failed', 412, { case: world.cases.get('rc_c') })
        return { answer, acts: false }
      })
      const { client, change, decide, clock, outcome } = world
      clock.after(1_500, () =>
        change('rc_c', {
          followUps: [{ question: 'Who?', answer: null }],
          decision: 'follow_up_required',
        }),
      )
      clock.after(30_000, () => decide('rc_c', 'approved'))
      const asking = client.reviewCases.request(asked, { onFollowUp: () => 'ACME' })
      assert.equal(resultOf(await outcome(asking)).approved, true)
      assert.equal(answers, 1)
    }
  })

  it('waits ever longer for a service that is away, and as long as it asks for', async () => {
    const away = service((_, nth) => (nth < 12 ? { answer: 'network', acts: false } : null))
    away.clock.after(60_000, () => away.decide('rc_c', 'approved'))
    resultOf(await away.outcome(away.client.reviewCases.request(asked)))
    // A call makes three tries.
    const at = (nth: number) => away.requests[nth]?.at ?? 0
    assert.deepEqual(
      [3, 6, 9, 12].map((nth) => at(nth) - at(nth - 1)),
      [1_000, 2_000, 4_000, 8_000],
    )
    const answer: Scripted = {
      ...(refusal('rate_limited', 429) as object),
      status: 429,
      headers: { 'retry-after': '90' },
    }
    const busy = service((_, nth) => (nth < 1 ? { answer, acts: false } : null))
    busy.clock.after(100_000, () => busy.decide('rc_c', 'approved'))
    resultOf(await busy.outcome(busy.client.reviewCases.request(asked)))
    assert.equal((busy.requests[1]?.at ?? 0) - (busy.requests[0]?.at ?? 0), 90_000)
  })

  it('does not wait for an account that is suspended', async () => {
    const { client, outcome } = service(() => ({
      answer: refusal('account_suspended', 503),
      acts: false,
    }))
    const done = await outcome(client.reviewCases.request(asked))
    assert.ok('error' in done && done.error instanceof ApiError)
    assert.equal(done.error.code, 'account_suspended')
  })

  it('has one key for one checkpoint of one session', async () => {
    const keys: unknown[] = []
    for (const more of [{}, {}, { sessionId: 't' }, { checkpointId: 'd' }]) {
      const { client, outcome, requests } = service(() => ({
        answer: refusal('invalid_request', 400),
        acts: false,
      }))
      await outcome(client.reviewCases.request({ ...asked, ...more }))
      keys.push(requests[0]?.body.idempotencyKey)
    }
    assert.equal(keys[0], keys[1])
    assert.equal(new Set(keys).size, 3)
  })
})
