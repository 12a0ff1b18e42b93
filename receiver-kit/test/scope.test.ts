import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Inbox } from '@countersign/core/ports'
import { createManualClock } from '@countersign/core/testing'
import {
  createOutcomeCallbackHandler,
  memoryInbox,
  type OutcomeHandlerOptions,
  type OutcomeProblem,
  type Served,
} from '@countersign/receiver-kit'
import {
  createTestSigner,
  sampleOutcome,
  sampleReviewEvent,
} from '@countersign/receiver-kit/testing'
import { createBench, drain, type Seen, send, start } from './support.ts'

function outcomeBench(change: Partial<OutcomeHandlerOptions> & { readonly inbox?: Inbox } = {}) {
  const clock = createManualClock(start)
  const signer = createTestSigner({ now: clock.now })
  const inbox = change.inbox ?? memoryInbox()
  const resumed: string[] = []
  const problems: OutcomeProblem[] = []
  const seen: Seen[] = []
  const handler = createOutcomeCallbackHandler({
    keys: [signer.key],
    applicationId: 'app_sample',
    inbox,
    clock,
    observer: { event: (name, fields) => void seen.push({ name, fields }) },
    onOutcome: ({ outcome }) => void resumed.push(outcome.checkpointId),
    onProblem: (problem) => void problems.push(problem),
    ...change,
  })
  return { clock, signer, inbox, handler, resumed, problems, seen }
}

describe('the scope of an outcome handler', () => {
  const foreign = sampleOutcome({ applicationId: 'app_other' })

  it('refuses the outcome of another application, keeps nothing and tells its owner', async () => {
    const { clock, signer, inbox, handler, resumed, problems, seen } = outcomeBench()
    const answer = await send(handler, signer.sign(foreign))
    assert.deepEqual(answer, { status: 403, body: { code: 'foreign_application' } })
    await drain(handler, clock)
    assert.deepEqual([resumed, await inbox.has([foreign.id])], [[], [false]])
    assert.deepEqual(
      problems.map(({ code, outcome }) => [code, outcome]),
      [['foreign_application', foreign]],
    )
    assert.deepEqual(
      seen.map(({ name, fields }) => [name, fields.code]),
      [['receiver.refused', 'foreign_application']],
    )
  })

  const serving: readonly [string, Served, readonly string[]][] = [
    ['a list', ['app_sample', 'app_other'], ['app_sample', 'app_other']],
    ['a function', (id) => id.startsWith('app_s'), ['app_sample']],
  ]
  for (const [what, applicationId, served] of serving)
    it(`may be ${what}`, async () => {
      const { signer, handler } = outcomeBench({ applicationId })
      const taken: string[] = []
      for (const id of ['app_sample', 'app_other', 'app_third']) {
        const message = signer.sign(sampleOutcome({ id: `cb_${id}`, applicationId: id }))
        if ((await send(handler, message)).status === 204) taken.push(id)
      }
      assert.deepEqual(taken, served)
    })

  // A promise is truthy, and one that rejects without a handler would end the process.
  for (const answer of [async () => true, () => Promise.reject(new Error('no directory'))])
    it(`reports an asynchronous function as an error: ${answer}`, async () => {
      const unhandled: unknown[] = []
      const hear = (error: unknown) => void unhandled.push(error)
      process.on('unhandledRejection', hear)
      try {
        const { signer, handler, inbox, seen } = outcomeBench({ applicationId: answer as never })
        const refused = await send(handler, signer.sign(sampleOutcome()))
        assert.deepEqual(refused, { status: 500, body: { code: 'internal' } })
        assert.deepEqual(await inbox.has([sampleOutcome().id]), [false])
        assert.match(String(seen[0]?.fields.detail), /applicationId to answer true or false, got a/)
        await new Promise((resolve) => setImmediate(resolve))
        assert.deepEqual(unhandled, [])
      } finally {
        process.off('unhandledRejection', hear)
      }
    })

  it('refuses another organization where one is named', async () => {
    const { signer, handler, problems } = outcomeBench({ tenantId: ['ten_sample'] })
    assert.equal((await send(handler, signer.sign(sampleOutcome()))).status, 204)
    const answer = await send(
      handler,
      signer.sign(sampleOutcome({ id: 'cb_2', tenantId: 'ten_other' })),
    )
    assert.deepEqual(answer, { status: 403, body: { code: 'foreign_tenant' } })
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['foreign_tenant'],
    )
  })

  for (const applicationId of [undefined, '', [], [''], 7, '*', ['app_sample', '*']])
    it(`can't be ${JSON.stringify(applicationId)}`, () => {
      assert.throws(() => outcomeBench({ applicationId: applicationId as never }), TypeError)
    })

  it('holds in an inbox that a handler of another application shares', async () => {
    const inbox = memoryInbox()
    const own = outcomeBench({ inbox })
    const other = outcomeBench({ inbox, applicationId: 'app_other' })
    await send(other.handler, other.signer.sign(foreign))
    assert.deepEqual(await drain(own.handler, own.clock), { handled: 0, failed: 1 })
    await other.clock.advance(1_000)
    await drain(other.handler, other.clock)
    assert.deepEqual([own.resumed, other.resumed], [[], ['step_sample']])
  })
})

describe('an outcome’s id with other bytes', () => {
  const approved = sampleOutcome({ decision: 'approved' })
  const rejected = sampleOutcome({ decision: 'rejected' })

  it('is an error that its owner hears, not a duplicate; the first stays', async () => {
    const { clock, signer, handler, resumed, problems, seen } = outcomeBench()
    for (const _ of [1, 2]) assert.equal((await send(handler, signer.sign(approved))).status, 204)
    const answer = await send(handler, signer.sign(rejected))
    assert.deepEqual(answer, { status: 409, body: { code: 'outcome_conflict' } })
    await drain(handler, clock)
    assert.equal(resumed.length, 1)
    assert.deepEqual(
      problems.map(({ code, outcome }) => [code, outcome.decision]),
      [['outcome_conflict', 'rejected']],
    )
    assert.deepEqual(
      seen.map(({ name, fields }) => fields.code ?? name),
      ['receiver.stored', 'receiver.duplicate', 'outcome_conflict', 'handler.done'],
    )
  })

  for (const onProblem of [
    () => {
      throw new Error('the pager is away')
    },
    () => Promise.reject(new Error('the pager is away')),
  ])
    it('is refused alike when nobody can be told', async () => {
      const { signer, handler, seen } = outcomeBench({ onProblem })
      await send(handler, signer.sign(approved))
      assert.equal((await send(handler, signer.sign(rejected))).status, 409)
      assert.ok(seen.some(({ name }) => name === 'receiver.on_problem_failed'))
    })
})

describe('the scope of an event receiver', () => {
  const ofOther = sampleReviewEvent({ id: 'evt_other', applicationId: 'app_other' })
  const ofNobody = {
    id: 'evt_nobody',
    type: 'subscription.events_missed',
    schemaVersion: 1,
    time: '2026-03-01T09:00:00.000Z',
    tenantId: 'ten_sample',
    subscriptionId: 'wh_sample',
  }
  const platform = {
    id: 'evt_platform',
    type: 'application.promoted',
    timestamp: '2026-03-01T09:00:00.000Z',
    apiVersion: '2026-01-01',
    customerId: 'ten_other',
    application: { id: 'app_other', name: 'Other' },
    data: {},
  }

  it('acknowledges events of other applications, and stores and hands over its own', async () => {
    const { signer, inbox, turns, told, ...bench } = createBench({ applicationId: 'app_sample' })
    for (const event of [ofOther, ofNobody, platform, sampleReviewEvent()])
      assert.equal((await bench.send(signer.sign(event))).status, 204)
    await bench.drain()
    assert.deepEqual(
      turns.map(({ message }) => message.id),
      ['evt_nobody', 'evt_sample'],
    )
    assert.deepEqual(await inbox.has([ofOther.id, platform.id]), [false, false])
    assert.deepEqual(
      told('receiver.foreign_application').map(({ id }) => id),
      [ofOther.id, platform.id],
    )
  })

  it('refuses events of other organizations, in either envelope', async () => {
    const { signer, inbox, ...bench } = createBench({ tenantId: (id) => id === 'ten_sample' })
    assert.equal((await bench.send(signer.sign(ofOther))).status, 204)
    const answer = await bench.send(signer.sign(platform))
    assert.deepEqual(answer, { status: 403, body: { code: 'foreign_tenant' } })
    assert.deepEqual(await inbox.has([platform.id]), [false])
  })

  it('leaves in a shared inbox what another receiver stored', async () => {
    const inbox = memoryInbox()
    const own = createBench({ inbox, applicationId: 'app_sample' })
    const other = createBench({ inbox, applicationId: 'app_other' })
    const foreign = createBench({ inbox, applicationId: 'app_other', tenantId: 'ten_other' })
    // Each has a webhook of its own, so both events come to both.
    for (const event of [ofOther, sampleReviewEvent()])
      for (const { signer, send } of [own, other])
        assert.equal((await send(signer.sign(event))).status, 204)
    const receivers = [foreign, own, other]
    for (let round = 0; round < 9; round++) {
      for (const { clock } of receivers) await clock.advance(3_600_000)
      await receivers[round % 3]?.drain()
    }
    const handledBy = ({ turns }: typeof own) => turns.map(({ message }) => message.id)
    assert.deepEqual([own, other, foreign].map(handledBy), [['evt_sample'], ['evt_other'], []])
    assert.match(String(own.told('handler.failed')[0]?.detail), /app_other .* inbox of its own/)
  })
})
