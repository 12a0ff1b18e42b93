import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { ApiError, type WaitOptions } from '../index.ts'
import { asked, calledBack, playedService } from './played-service.ts'
import { refusal, type Seen } from './support.ts'

const isCancel = ({ path }: Seen) => path.endsWith('/cancel')

/** Asks, and leaves after so many ms. */
function leaveAfter(
  { client, clock }: ReturnType<typeof playedService>,
  ms: number,
  more: WaitOptions = { cancelOnAbort: 'end_user_cancelled' },
) {
  const controller = new AbortController()
  clock.after(ms, () => controller.abort('left'))
  return client.reviewCases.request(asked, { ...more, signal: controller.signal })
}

function notCancelled(done: { value: unknown } | { error: unknown }): ApiError {
  assert.ok('error' in done && done.error instanceof ApiError, inspect(done))
  assert.equal(done.error.code, 'not_cancelled')
  return done.error
}

describe('leaving a request', () => {
  it('cancels the case when it is aborted only where that was asked', async () => {
    for (const cancelOnAbort of [undefined, 'end_user_cancelled'] as const) {
      const { client, cases, outcome } = playedService()
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

  it('ends the wait at once, and sends nothing more', async () => {
    const world = playedService()
    const done = await world.outcome(leaveAfter(world, 2_700, {}))
    assert.deepEqual([done, world.clock.monotonic()], [{ error: 'left' }, 2_700])
    const sent = world.requests.length
    await world.clock.advance(60_000)
    assert.deepEqual([world.requests.length, world.clock.waiting()], [sent, 0])
  })

  it('takes one signal for many requests', async (t) => {
    const warnings: string[] = []
    const warn = ({ name }: Error) => void warnings.push(name)
    process.on('warning', warn)
    t.after(() => process.off('warning', warn))
    for (const answer of [null, 'network'] as const) {
      const controller = new AbortController()
      const world = playedService(() => (answer ? { answer, acts: false } : null))
      const asking = Array.from({ length: 15 }, (_, i) =>
        world.client.reviewCases
          .request({ ...asked, checkpointId: `c${i}` }, { signal: controller.signal })
          .catch(() => 'left'),
      )
      world.clock.after(5_000, () => controller.abort())
      const done = await world.outcome(Promise.all(asking))
      assert.deepEqual(done, { value: asking.map(() => 'left') })
    }
    // Warnings are told in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(warnings, [])
  })

  it('before it was sent sends nothing, and cancels nothing', async () => {
    const { client, requests } = playedService()
    const signal = AbortSignal.abort('left')
    const asking = client.reviewCases.request(asked, {
      signal,
      cancelOnAbort: 'end_user_cancelled',
    })
    await assert.rejects(asking, (error) => error === 'left')
    assert.equal(requests.length, 0)
  })

  it('cancels the case whose opening was not answered, whether it was carried out or not', async () => {
    for (const acts of [true, false])
      for (const answer of ['silence', 'network'] as const) {
        const world = playedService((_, nth) => (nth < 2 ? { answer, acts } : null))
        const done = await world.outcome(leaveAfter(world, 100))
        assert.deepEqual(done, { error: 'left' })
        assert.deepEqual([world.cases.get('rc_c')?.state, world.cases.size], ['cancelled', 1])
        const keys = world.requests
          .filter(({ path }) => path === '/v1/review-cases')
          .map(({ body }) => body.idempotencyKey)
        assert.equal(new Set(keys).size, 1)
      }
  })

  it('leaves a case alone that shows something else', async () => {
    const world = playedService((_, nth) => (nth === 1 ? { answer: 'silence', acts: false } : null))
    const presentation = { action: 'refund' }
    await world.outcome(world.client.reviewCases.open({ ...asked, presentation }))
    assert.deepEqual(await world.outcome(leaveAfter(world, 100)), { error: 'left' })
    assert.equal(world.cases.get('rc_c')?.state, 'open')
  })

  it('cancels again until it is answered, also where the first was carried out', async () => {
    for (const acts of [true, false]) {
      let cancels = 0
      const world = playedService((seen) =>
        isCancel(seen) && cancels++ < 5 ? { answer: 'network', acts } : null,
      )
      assert.deepEqual(await world.outcome(leaveAfter(world, 2_500)), { error: 'left' })
      assert.deepEqual([world.cases.get('rc_c')?.state, cancels], ['cancelled', 6])
    }
  })

  it('says that the case may still be open where it was not cancelled in time', async () => {
    for (const answer of ['silence', 'network'] as const) {
      const world = playedService((seen) => (isCancel(seen) ? { answer, acts: false } : null))
      const error = notCancelled(await world.outcome(leaveAfter(world, 2_500)))
      assert.ok(error.message.includes('rc_c') && error.cause instanceof ApiError)
      assert.equal(error.cause.code, 'deadline_exceeded')
      assert.equal(world.clock.monotonic(), 2_500 + 60_000)
      assert.equal(world.clock.waiting(), 0)
    }
    const away = playedService(() => ({ answer: 'silence', acts: false }))
    const error = notCancelled(await away.outcome(leaveAfter(away, 2_500)))
    assert.ok(error.message.includes('checkpoint c'))
  })

  it('says so where the key may not cancel any more', async () => {
    const world = playedService((seen) =>
      isCancel(seen) ? { answer: refusal('authentication_required', 401), acts: false } : null,
    )
    const { cause } = notCancelled(await world.outcome(leaveAfter(world, 2_500)))
    assert.ok(cause instanceof ApiError && cause.code === 'authentication_required')
  })

  it('cancels nothing that was closed meanwhile', async () => {
    for (const change of [
      { state: 'decided', decision: 'approved' },
      { state: 'expired', decision: 'expired' },
    ]) {
      const world = playedService()
      world.clock.after(2_000, () => world.change('rc_c', change))
      assert.deepEqual(await world.outcome(leaveAfter(world, 2_100)), { error: 'left' })
      assert.equal(world.cases.get('rc_c')?.state, change.state)
    }
  })

  it('is not told of an approval that came after it', async () => {
    const world = playedService()
    const controller = new AbortController()
    world.clock.after(2_100, () => {
      controller.abort('left')
      world.client.reviewCases.settle({ ...calledBack, decision: 'approved' })
    })
    const asking = world.client.reviewCases.request(asked, { signal: controller.signal })
    assert.deepEqual(await world.outcome(asking), { error: 'left' })
  })
})
