import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ExchangeResult } from '@countersign/core/ports'
import { answered, plainSealer, scriptedEgress } from '@countersign/core/testing'
import { callbackOperations } from '../../applications/callback-operations.ts'
import { openGroups } from '../../kernel/facade.ts'
import { createPost } from '../../kernel/mail/index.ts'
import { createKernelPorts } from '../../kernel-ports.ts'
import { sweepPut } from '../../review/callback/callback-sweep.ts'
import { admin, app, type Bench, createBench, hour, refused, value } from './bench.ts'

const minute = hour / 60
const oldUrl = 'https://app.test/outcome'
const newUrl = 'https://app.test/other'
const { applicationId } = app

const applicationsOf = (bench: Bench) =>
  openGroups(
    { applications: callbackOperations },
    createKernelPorts({
      ledger: bench.ledger,
      intake: { offer: () => null },
      post: createPost({ sealer: plainSealer() }),
    }),
    {
      sealer: plainSealer(),
      egress: scriptedEgress(() => null),
      publicKeyOf: async () => 'whpk_',
      endCallbacks: sweepPut,
    },
  ).applications

const posts = (bench: Bench, to: string) =>
  bench.transport.exchanges.filter(({ url }) => url === to).length

async function cancelOne(bench: Bench): Promise<string> {
  const { reviewCaseId } = await bench.open()
  const reasonCategory = 'parent_workflow_ended'
  value(await bench.cases.cancel(app, { reviewCaseId, reasonCategory }))
  return reviewCaseId
}

const remove = async (bench: Bench) =>
  value(await applicationsOf(bench).removeOutcomeCallback(admin, { applicationId }))

/** Runs the sweep and what it made due. */
async function swept(bench: Bench): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (let runs = 0; runs < 3; runs++) await bench.runner.tick()
    await bench.clock.advance(5_000)
  }
}

/** The second attempt is under way while the callback is removed and swept; the next would be five minutes later. */
async function removeInFlight(bench: Bench, result: ExchangeResult): Promise<void> {
  bench.transport.follow(async ({ url }) => {
    if (url !== oldUrl) return answered(200)
    if (posts(bench, oldUrl) === 1) return answered(500)
    await remove(bench)
    for (let runs = 0; runs < 3; runs++) await bench.runner.tick()
    return result
  })
  bench.dispatcher.start()
  await cancelOne(bench)
  await bench.clock.advance(10_000)
}

/** Where an outcome may stand when its callback is removed, and what becomes of its case. */
const moments: Readonly<
  Record<string, { readonly state: string; readonly act: (bench: Bench) => Promise<unknown> }>
> = {
  'before its first attempt': {
    state: 'failed',
    act: async (bench) => {
      await cancelOne(bench)
      await remove(bench)
      bench.dispatcher.start()
    },
  },
  'between two attempts': {
    state: 'failed',
    act: async (bench) => {
      bench.transport.follow(() => answered(500))
      bench.dispatcher.start()
      await cancelOne(bench)
      await bench.clock.advance(minute)
      await remove(bench)
    },
  },
  'while it is turned off': {
    state: 'failed',
    act: async (bench) => {
      bench.transport.follow(() => answered(500))
      bench.dispatcher.start()
      await cancelOne(bench)
      await bench.clock.advance(minute)
      await bench.setCallback({ enabled: false })
      await bench.clock.advance(10 * minute)
      await remove(bench)
    },
  },
  'during an attempt that fails': {
    state: 'failed',
    act: (bench) => removeInFlight(bench, answered(500)),
  },
  'during an attempt that is received': {
    state: 'received',
    act: (bench) => removeInFlight(bench, answered(204)),
  },
}

describe('an outcome whose callback is removed', () => {
  for (const [moment, { state, act }] of Object.entries(moments))
    it(`${moment} is ${state} within a minute, and nothing is sent after`, async () => {
      const bench = await createBench({
        callback: true,
        dispatch: moment !== 'before its first attempt',
      })
      const { cases, clock, dispatcher, events, stored } = bench
      await act(bench)
      await clock.advance(2_000)
      const id = String(bench.outcomes()[0]?.reviewCaseId)
      const sent = posts(bench, oldUrl)
      await swept(bench)
      assert.equal(stored(id).callback.state, state)
      await clock.advance(30 * hour)
      assert.equal(posts(bench, oldUrl), sent)
      assert.equal(bench.audited().at(-1)?.action, 'application.outcome_callback_removed')
      const told = events(id).some(({ type }) => type === 'review.continuation.delivery_failed')
      assert.equal(told, state === 'failed')

      const failed = state === 'failed'
      const early = refused(await cases.replayCallback(admin, { reviewCaseId: id })).code
      assert.equal(early, failed ? 'callback_not_configured' : 'invalid_transition')
      const input = { url: newUrl, enabled: true }
      bench.transport.follow(() => answered(200))
      value(await applicationsOf(bench).setOutcomeCallback(admin, { applicationId, ...input }))
      await clock.advance(hour)
      assert.equal(posts(bench, newUrl), 0)
      if (!failed) return dispatcher.drain(0)
      value(await cases.replayCallback(admin, { reviewCaseId: id }))
      await clock.advance(5_000)
      assert.deepEqual([stored(id).callback.state, posts(bench, newUrl)], ['received', 1])
      await dispatcher.drain(0)
    })

  it('closed after the removal owes none, and is sent by a replay', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    bench.dispatcher.start()
    await remove(bench)
    const id = await cancelOne(bench)
    assert.equal(bench.stored(id).callback.state, 'none')
    const input = { url: newUrl, enabled: true }
    value(await applicationsOf(bench).setOutcomeCallback(admin, { applicationId, ...input }))
    value(await bench.cases.replayCallback(admin, { reviewCaseId: id }))
    await bench.clock.advance(5_000)
    assert.equal(bench.stored(id).callback.state, 'received')
    await bench.dispatcher.drain(0)
  })
})
