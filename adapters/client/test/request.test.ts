import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { ApiError, createClient } from '../index.ts'
import { asked, calledBack, playedService, resultOf } from './played-service.ts'
import { ingestUrl, key, refusal, type Scripted, type Swap } from './support.ts'

describe('request', () => {
  it('waits by reading ever less often, without the body of what has not changed', async () => {
    const { client, requests, decide, clock, outcome } = playedService()
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
      const { client, clock, outcome, requests } = playedService()
      const called = { ...calledBack, decision }
      clock.after(2_700, () => assert.equal(client.reviewCases.settle(called), true))
      const done = resultOf(await outcome(client.reviewCases.request(asked)))
      const unsaid = { comment: null, decidedBy: null }
      assert.deepEqual(done, { ...called, approved: decision === 'approved', ...unsaid })
      assert.ok(clock.monotonic() < 3_000)
      assert.equal(client.reviewCases.settle(called), false)
      assert.equal(requests.filter(({ method }) => method === 'POST').length, 1)
    }
  })

  it('tells what the reviewer wrote, also after a callback, if it can be read then', async () => {
    const words = { reviewerComment: 'Too much.', decidedBy: 'mem_ruth' }
    const told = { comment: 'Too much.', decidedBy: 'mem_ruth' }
    const polled = playedService()
    const decided = { ...words, state: 'decided', decision: 'rejected' }
    polled.clock.after(2_700, () => polled.change('rc_c', decided))
    const { comment, decidedBy } = resultOf(
      await polled.outcome(polled.client.reviewCases.request(asked)),
    )
    assert.deepEqual({ comment, decidedBy }, told)

    const silence = { answer: 'silence', acts: false } as const
    for (const fault of [null, silence, { ...silence, answer: { status: 502 } }] as const) {
      let isTold = false
      const called = playedService(() => (isTold ? fault : null))
      called.clock.after(2_700, () => {
        called.change('rc_c', decided)
        isTold = called.client.reviewCases.settle(calledBack)
      })
      const done = resultOf(await called.outcome(called.client.reviewCases.request(asked)))
      assert.equal(done.decision, 'rejected')
      const heard = { comment: done.comment, decidedBy: done.decidedBy }
      assert.deepEqual(heard, fault ? { comment: null, decidedBy: null } : told)
      assert.ok(called.clock.monotonic() <= 7_700)
    }
  })

  it('takes what it asked beside the document of a policy, and nothing else there', async () => {
    for (const [application, fine, adopted = true] of [
      [asked.presentation, true],
      [{ ...asked.presentation, amount: 'more' }, false],
      [null, false],
      // An application's own document may have such a member.
      [asked.presentation, false, false],
    ] as const) {
      const played = playedService(({ method, body }) => {
        if (method === 'POST')
          played.cases.set('rc_c', {
            ...{ ...body, reviewCaseId: 'rc_c', checkpoint: { checkpointId: 'c' } },
            ...{ caseVersion: 2, eventSequence: 2, state: 'decided', decision: 'approved' },
            ...{ adopted, followUps: [], presentation: { title: 'Step pay', application } },
          })
        return null
      })
      const ended = await played.outcome(played.client.reviewCases.request(asked))
      if (fine) assert.equal(resultOf(ended).approved, true)
      else
        assert.equal(
          'error' in ended && ended.error instanceof ApiError && ended.error.code,
          'idempotency_conflict',
        )
    }
  })

  it('is not answered by the approval of another case', async () => {
    for (const state of ['open', 'decided']) {
      const { client, outcome, cases } = playedService(({ method }) => {
        const other = {
          ...cases.get('rc_c'),
          reviewCaseId: 'rc_other',
          decision: 'approved',
          state,
        }
        return method === 'GET' ? { answer: { status: 200, body: other }, acts: false } : null
      })
      const ended = await outcome(client.reviewCases.request(asked))
      assert.ok('error' in ended && ended.error instanceof ApiError, inspect(ended))
      assert.equal(ended.error.code, 'unexpected_answer')
      assert.match(ended.error.message, /rc_c, got rc_other/)
    }
  })

  it('again, as after a restart, leads to the same case and its outcome', async () => {
    const { client, cases, decide, outcome, requests, surroundings } = playedService()
    const lost = new AbortController()
    const onOpen = () => lost.abort('the process ended')
    const first = client.reviewCases.request(asked, { signal: lost.signal, onOpen })
    assert.deepEqual(await outcome(first), { error: 'the process ended' })
    assert.equal(cases.get('rc_c')?.state, 'open')
    decide('rc_c', 'rejected')
    const restarted = createClient({ ingestUrl, apiKey: key, surroundings })
    const { approved, decision } = resultOf(await outcome(restarted.reviewCases.request(asked)))
    assert.deepEqual([approved, decision, cases.size], [false, 'rejected', 1])
    assert.equal(requests.filter(({ method }) => method === 'POST').length, 2)
  })

  it('for another action at a checkpoint is refused, not answered with what was approved before', async () => {
    const { client, decide, outcome } = playedService()
    const onOpen = () => decide('rc_c', 'approved')
    await outcome(client.reviewCases.request(asked, { onOpen }))
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
          const { client, cases, change, outcome, clock } = playedService(
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

  it('takes no approval of a case that shows something else, whoever opened it', async () => {
    const { client, cases, change, decide, outcome, requests } = playedService()
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
    const { client, decide, outcome } = playedService()
    const presentation = { action: 'pay', to: { name: 'ACME', city: 'Wien' } }
    const idempotencyKey = 'of another'
    await outcome(client.reviewCases.open({ ...asked, presentation, idempotencyKey }))
    decide('rc_c', 'approved')
    const turned = { to: { city: 'Wien', name: 'ACME', note: undefined }, action: 'pay' }
    const done = await outcome(client.reviewCases.request({ ...asked, presentation: turned }))
    assert.equal(resultOf(done).approved, true)
  })

  it('ends with the refusal of a request that is wrong', async () => {
    const { client, outcome, requests } = playedService(() => ({
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

  it('waits ever longer for a service that is away, and as long as it asks for', async () => {
    const away = playedService((_, nth) => (nth < 12 ? { answer: 'network', acts: false } : null))
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
    const busy = playedService((_, nth) => (nth < 1 ? { answer, acts: false } : null))
    busy.clock.after(100_000, () => busy.decide('rc_c', 'approved'))
    resultOf(await busy.outcome(busy.client.reviewCases.request(asked)))
    assert.equal((busy.requests[1]?.at ?? 0) - (busy.requests[0]?.at ?? 0), 90_000)
  })

  it('does not wait for an account that is suspended', async () => {
    const { client, outcome } = playedService(() => ({
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
      const { client, outcome, requests } = playedService(() => ({
        answer: refusal('invalid_request', 400),
        acts: false,
      }))
      await outcome(client.reviewCases.request({ ...asked, ...more }))
      keys.push(requests[0]?.body.idempotencyKey)
    }
    assert.equal(keys[0], keys[1])
    assert.equal(new Set(keys).size, 3)
  })

  it('again with deadlines counted from now leads to the same case', async () => {
    const { client, decide, cases, outcome, surroundings } = playedService()
    const until = (expiresAt: string) => ({ ...asked, expiresAt, dueAt: expiresAt })
    const lost = new AbortController()
    const onOpen = () => lost.abort('the process ended')
    const first = until('2026-11-22T10:00:00.000Z')
    await outcome(client.reviewCases.request(first, { signal: lost.signal, onOpen }))
    decide('rc_c', 'approved')
    const restarted = createClient({ ingestUrl, apiKey: key, surroundings })
    const again = until('2026-11-22T11:30:00.000Z')
    const done = resultOf(await outcome(restarted.reviewCases.request(again)))
    assert.deepEqual([done.approved, cases.size], [true, 1])
  })

  it('hears the callback while its opening is under way and while reads are repeated', async () => {
    for (const phase of ['opening', 'reading'] as const) {
      const world = playedService(({ method }) => {
        if (phase === 'reading') return method === 'GET' ? { answer: 'network', acts: false } : null
        world.client.reviewCases.settle(calledBack)
        return null
      })
      const { client, clock, outcome, cases } = world
      if (phase === 'reading')
        clock.after(40_000, () => assert.equal(client.reviewCases.settle(calledBack), true))
      const asking = client.reviewCases.request(asked, {
        ...(phase === 'opening' && { pollMs: [3_000_000, 3_000_000] }),
        onOpen: () => {
          // The answer to the opening comes after the callback, which found the case open.
          if (phase === 'opening') assert.equal(cases.get('rc_c')?.state, 'open')
        },
      })
      assert.equal(resultOf(await outcome(asking)).decision, 'rejected')
      // The reviewer's words are given up once the read for them was repeated twice.
      assert.equal(clock.monotonic(), phase === 'opening' ? 0 : 41_500)
      assert.deepEqual([client.reviewCases.settle(calledBack), clock.waiting()], [false, 0])
    }
  })

  it('takes no callback of another case for its own', async () => {
    const { client, clock, decide, outcome } = playedService()
    clock.after(500, () => {
      const other = { ...calledBack, reviewCaseId: 'rc_other' }
      assert.equal(client.reviewCases.settle(other), false)
    })
    clock.after(5_000, () => decide('rc_c', 'approved'))
    assert.equal(resultOf(await outcome(client.reviewCases.request(asked))).approved, true)
  })

  it('ends with unexpected_answer where something else than the service answers', async () => {
    const other: readonly Scripted[] = [
      { status: 200, text: '<!doctype html><title>Log in</title>' },
      { status: 200, text: '' },
      { status: 200, body: null },
      { status: 200, body: [] },
      { status: 200, body: 'ok' },
      { status: 200, body: {} },
      { status: 200, body: { status: 'ok', state: 'open' } },
    ]
    for (const method of ['POST', 'GET'])
      for (const answer of other) {
        const { client, outcome } = playedService((seen) =>
          seen.method === method ? { answer, acts: false } : null,
        )
        const done = await outcome(client.reviewCases.request(asked))
        assert.ok('error' in done && done.error instanceof ApiError, inspect(done))
        assert.deepEqual([done.error.code, done.error.status], ['unexpected_answer', 200])
      }
  })
})
