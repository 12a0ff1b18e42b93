import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ExchangeResult } from '@countersign/core/ports'
import {
  formatPublicKey,
  formatSharedSecret,
  loadVerifyKey,
  portablePrimitives,
  verify,
} from '@countersign/core/signing'
import { answered, failed, plainCipher, plainSealer, seededRandom } from '@countersign/core/testing'
import { applications, callbackSecretContext } from '../../applications/records.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { attempts, deliveries, messages } from '../../outbox/records.ts'
import { callbackIdOf } from '../../review/callback/callback-id.ts'
import { underOwnKey } from '../../review/outcome-keys.ts'
import {
  admin,
  ann,
  app,
  type Bench,
  bob,
  createBench,
  hour,
  refused,
  seenOf,
  start,
  value,
} from './bench.ts'

const decodes = new TextDecoder()
const toApp = (bench: Bench) =>
  bench.transport.exchanges.filter(({ url }) => url === 'https://app.test/outcome')

/** Answers the application's endpoint so, one exchange after another; webhooks take everything. */
function answerWith(bench: Bench, ...results: readonly ExchangeResult[]): void {
  let number = 0
  bench.transport.follow(({ url }) =>
    url === 'https://app.test/outcome' ? (results[number++] ?? answered(500)) : answered(200),
  )
}

async function rejectOne(bench: Bench): Promise<string> {
  const { reviewCaseId } = await bench.open({ resumeToken: 'resume-1' })
  const review = value(await bench.cases.claim(ann, { reviewCaseId }))
  value(
    await bench.cases.decide(ann, {
      reviewCaseId,
      ...seenOf(review),
      presentationDigest: review.presentationDigest ?? '',
      decision: 'rejected',
      comment: 'no',
      response: { why: 'limit' },
    }),
  )
  return reviewCaseId
}

const stepsOf = (bench: Bench, id: string) =>
  bench
    .stored(id)
    .history.map(({ step }) => step)
    .filter((step) => step.startsWith('callback') || step.startsWith('continuation'))

/** Long enough for all waits of the callback's policy with their jitter. */
const givesUpAfter = 30 * hour

describe('the outcome callback', () => {
  for (const dispatch of [true, false])
    it(`is owed in the commit that closes the case, ${dispatch ? 'born leased' : 'to be claimed'}, and its receipt is recorded`, async () => {
      const bench = await createBench({ callback: true, dispatch })
      const { clock, dispatcher, stored, keys } = bench
      dispatcher.start()
      await clock.advance(hour)
      const id = await rejectOne(bench)
      assert.notEqual(stored(id).callback.state, 'none')
      await clock.advance(2000)
      const [exchange, ...more] = toApp(bench)
      assert.ok(exchange)
      assert.equal(more.length, 0)
      assert.deepEqual(JSON.parse(decodes.decode(exchange.body)), {
        id: callbackIdOf(stored(id)),
        type: 'review.outcome',
        schemaVersion: 1,
        time: new Date(start + hour).toISOString(),
        tenantId: 'ten_1',
        applicationId: 'app_1',
        sessionId: stored(id).sessionId,
        reviewCaseId: id,
        caseVersion: 3,
        decision: 'rejected',
        checkpointId: 'checkpoint',
        resumeToken: 'resume-1',
        presentationDigest: stored(id).presentationDigest,
        response: { why: 'limit' },
        caseUrl: `https://ingest.test/v1/review-cases/${id}`,
        decisionSignature: null,
      })
      const [key] = (await keys.signers('ten_1', clock.now())).keys
      assert.ok(key)
      const verified = verify({
        headers: exchange.headers,
        body: exchange.body,
        keys: [loadVerifyKey(formatPublicKey(key.publicKey), portablePrimitives)],
        now: clock.now(),
      })
      assert.equal(verified.ok, true)
      assert.equal(exchange.headers['webhook-key-version'], '1')
      assert.deepEqual(stepsOf(bench, id), ['callback_received'])
      const { callback, caseVersion, eventSequence } = stored(id)
      assert.deepEqual([callback.state, callback.attempts], ['received', 1])
      assert.deepEqual([caseVersion, eventSequence], [3, 4])
      await dispatcher.drain(0)
    })

  it('whose own key is gone is not sent, and holds up no other', async () => {
    const bench = await createBench({ callback: true })
    const { clock, dispatcher, store, stored } = bench
    const id = await rejectOne(bench)
    const [was] = store.rows(messages)
    assert.ok(was)
    const ports = { cipher: plainCipher(), random: seededRandom(9), sealer: plainSealer() }
    const { message } = underOwnKey(ports, was.row, stored(id))
    await store.commit({ tenant: null, puts: [put(messages, message, was)] })
    const other = await rejectOne(bench)
    dispatcher.start()
    await clock.advance(2_000)
    const told = toApp(bench).map(({ body }) => JSON.parse(decodes.decode(body)).reviewCaseId)
    assert.deepEqual(told, [other])
    assert.deepEqual(
      [stored(id).callback.state, stored(other).callback.state],
      ['pending', 'received'],
    )
    const [attempt] = store.rows(attempts).filter(({ row }) => row.messageId === message.messageId)
    assert.equal(attempt?.row.error, 'aborted: sign failed')
    await clock.advance(givesUpAfter)
    const row = store.rows(deliveries).find(({ row }) => row.messageId === message.messageId)?.row
    assert.equal(row?.status, 'dead_lettered')
    await dispatcher.drain(0)
  })

  it('signs with the secret that the application shares, once it does', async () => {
    const secret = formatSharedSecret(new Uint8Array(32).fill(7))
    const context = callbackSecretContext('ten_1', 'app_1', 4)
    const sealed = plainSealer().seal(new TextEncoder().encode(secret), context)
    const callback = {
      method: 'shared_secret',
      secret: { version: 4, sealed, validUntil: null },
    } as const
    const bench = await createBench({ callback, dispatch: true })
    bench.dispatcher.start()
    await rejectOne(bench)
    await bench.clock.advance(2000)
    const [exchange] = toApp(bench)
    assert.ok(exchange)
    assert.match(exchange.headers['webhook-signature'] ?? '', /^v1,/)
    assert.equal(exchange.headers['webhook-key-version'], '4')
    const verified = verify({
      headers: exchange.headers,
      body: exchange.body,
      keys: [loadVerifyKey(secret, portablePrimitives)],
      now: bench.clock.now(),
    })
    assert.equal(verified.ok, true)
    await bench.dispatcher.drain(0)
  })

  it('is owed for cancelled and expired cases too, and for none where it is not turned on', async () => {
    const bench = await createBench({ callback: true })
    const cancelled = await bench.open()
    const reasonCategory = 'parent_workflow_ended'
    value(await bench.cases.cancel(app, { reviewCaseId: cancelled.reviewCaseId, reasonCategory }))
    const expiring = await bench.open()
    await bench.clock.advance(7 * 24 * hour)
    await bench.runner.tick()
    assert.deepEqual(
      bench.outcomes().map(({ reviewCaseId, decision }) => [reviewCaseId, decision]),
      [
        [cancelled.reviewCaseId, 'cancelled'],
        [expiring.reviewCaseId, 'expired'],
      ],
    )
    await bench.setCallback({ enabled: false })
    const silent = await bench.open()
    const view = value(
      await bench.cases.cancel(app, { reviewCaseId: silent.reviewCaseId, reasonCategory }),
    )
    assert.equal(view.callback.state, 'none')
    assert.equal(bench.outcomes().length, 2)
    const replayed = await bench.cases.replayCallback(admin, { reviewCaseId: silent.reviewCaseId })
    assert.equal(refused(replayed).code, 'callback_not_configured')
  })

  for (const [name, before] of [
    ['disabled', { enabled: false }],
    ['not configured', null],
  ] as const)
    it(`is sent by a replay for a case that closed while it was ${name}, and owed by nothing else`, async () => {
      const bench = await createBench({ callback: true, dispatch: true })
      const { cases, clock, dispatcher, events, stored } = bench
      dispatcher.start()
      const { outcomeCallback } = bench.application()
      await bench.setCallback(before)
      const id = await rejectOne(bench)
      await bench.setCallback(outcomeCallback)
      await clock.advance(hour)
      assert.deepEqual([stored(id).callback.state, toApp(bench).length], ['none', 0])
      const open = await bench.open()
      assert.equal(
        refused(await cases.replayCallback(bob, { reviewCaseId: open.reviewCaseId })).code,
        'invalid_transition',
      )
      const { eventSequence, caseVersion } = stored(id)
      const replayed = value(await cases.replayCallback(bob, { reviewCaseId: id }))
      assert.deepEqual(replayed.callback, { state: 'pending', attempts: 0, lastAttemptAt: null })
      assert.equal(
        refused(await cases.replayCallback(bob, { reviewCaseId: id })).code,
        'invalid_transition',
      )
      await clock.advance(2000)
      const [exchange, ...more] = toApp(bench)
      assert.ok(exchange)
      assert.equal(more.length, 0)
      const outcome = JSON.parse(decodes.decode(exchange.body))
      assert.deepEqual(
        [outcome.id, outcome.reviewCaseId, outcome.decision, outcome.resumeToken, outcome.time],
        [callbackIdOf(stored(id)), id, 'rejected', 'resume-1', new Date(start).toISOString()],
      )
      assert.deepEqual(stepsOf(bench, id), ['callback_replayed', 'callback_received'])
      assert.deepEqual(
        [stored(id).caseVersion, stored(id).eventSequence],
        [caseVersion, eventSequence + 2],
      )
      assert.equal(events(id).at(-1)?.type, 'review.case.decided')
      assert.equal(
        refused(await cases.replayCallback(bob, { reviewCaseId: id })).code,
        'invalid_transition',
      )
      await dispatcher.drain(0)
    })

  it('records each attempt, tells when it is given up, and starts anew with the same id when replayed', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { cases, clock, dispatcher, events, stored } = bench
    answerWith(bench, answered(500), failed('timeout'))
    dispatcher.start()
    const id = await rejectOne(bench)
    await clock.advance(2000)
    assert.deepEqual(stepsOf(bench, id), ['callback_attempted'])
    assert.equal(stored(id).callback.state, 'pending')
    const early = await cases.replayCallback(bob, { reviewCaseId: id })
    assert.equal(refused(early).code, 'invalid_transition')
    await clock.advance(givesUpAfter)
    assert.deepEqual(stepsOf(bench, id), [
      ...Array(7).fill('callback_attempted'),
      'callback_given_up',
    ])
    assert.deepEqual(stored(id).callback.state, 'failed')
    assert.equal(stored(id).callback.attempts, 7)
    const event = events(id).at(-1)
    assert.equal(event?.type, 'review.continuation.delivery_failed')
    assert.deepEqual(
      [event?.decision, event?.reasonCategory, event?.caseVersion, event?.eventSequence],
      ['rejected', 'callback_delivery_failed', 3, 11],
    )
    assert.equal(event?.presentationDigest, stored(id).presentationDigest)

    answerWith(bench, answered(503), answered(204))
    const replayed = value(await cases.replayCallback(bob, { reviewCaseId: id }))
    assert.deepEqual([replayed.callback.state, replayed.callback.attempts], ['pending', 0])
    await clock.advance(hour)
    assert.deepEqual(stepsOf(bench, id).slice(8), [
      'callback_replayed',
      'callback_attempted',
      'callback_received',
    ])
    const sent = toApp(bench)
    assert.equal(sent.length, 9)
    assert.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(sent.map(({ body }) => decodes.decode(body))).size, 1)
    assert.equal(bench.audited().at(-1)?.action, 'review_case.callback_replayed')
    await dispatcher.drain(0)
  })

  it('shows attempts that crashes interrupted, and is made again at once', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { clock, dispatcher, stored } = bench
    const id = await rejectOne(bench)
    // Nine claims, none of them settled.
    await bench.change(
      deliveries,
      ({ kind }) => kind === 'callback',
      () => ({ attempts: 9, due: clock.now() }),
    )
    const hangs = new Promise<ExchangeResult>(() => {})
    bench.transport.follow(({ url }) =>
      url === 'https://app.test/outcome' ? hangs : answered(200),
    )
    dispatcher.start()
    await clock.advance(2_000)
    assert.deepEqual(
      [stored(id).callback.state, stored(id).callback.attempts, toApp(bench).length],
      ['pending', 9, 1],
    )
    assert.deepEqual(stepsOf(bench, id), ['callback_attempted'])
    bench.transport.follow(() => answered(200))
    await clock.advance(30_000)
    assert.deepEqual([stored(id).callback.state, stored(id).callback.attempts], ['received', 11])
    await dispatcher.drain(0)
  })

  it('gives up at a 410 and sends nothing more to that URL until it is saved again', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { cases, clock, dispatcher, stored, audited } = bench
    answerWith(bench, answered(410))
    dispatcher.start()
    const first = await rejectOne(bench)
    await clock.advance(2000)
    assert.deepEqual(stepsOf(bench, first), ['callback_attempted', 'callback_given_up'])
    assert.equal(audited().at(-1)?.action, 'application.outcome_callback_gone')
    const second = await rejectOne(bench)
    await clock.advance(5000)
    assert.deepEqual(stepsOf(bench, second), ['callback_given_up'])
    assert.deepEqual(stored(second).callback, { state: 'failed', attempts: 0, lastAttemptAt: null })
    assert.equal(toApp(bench).length, 1)
    assert.equal(
      refused(await cases.replayCallback(admin, { reviewCaseId: first })).code,
      'callback_gone',
    )

    await bench.setCallback({ gone: false })
    answerWith(bench, answered(200), answered(200))
    for (const id of [first, second]) value(await cases.replayCallback(admin, { reviewCaseId: id }))
    await clock.advance(5000)
    for (const id of [first, second]) assert.equal(stored(id).callback.state, 'received')
    await dispatcher.drain(0)
  })

  it('gives up every open callback of the application at a 410, not at their next retries', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { clock, dispatcher, runner, stored } = bench
    answerWith(bench, answered(500), answered(500), answered(410))
    dispatcher.start()
    const waiting = await rejectOne(bench)
    await clock.advance(20_000)
    assert.equal(stored(waiting).callback.state, 'pending')
    const last = await rejectOne(bench)
    await clock.advance(2_000)
    for (let runs = 0; runs < 3; runs++) await runner.tick()
    await clock.advance(5_000)
    for (const id of [waiting, last]) assert.equal(stored(id).callback.state, 'failed')
    assert.equal(toApp(bench).length, 3)
    assert.equal(bench.events(waiting).at(-1)?.type, 'review.continuation.delivery_failed')
    await dispatcher.drain(0)
  })

  it('waits while it is turned off, and goes on when it is turned on', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { clock, dispatcher, stored } = bench
    answerWith(bench, answered(500), answered(200))
    dispatcher.start()
    const id = await rejectOne(bench)
    await clock.advance(2_000)
    await bench.setCallback({ enabled: false })
    await clock.advance(10 * hour)
    assert.equal(toApp(bench).length, 1)
    assert.deepEqual([stored(id).callback.state, stored(id).callback.attempts], ['pending', 1])
    await bench.setCallback({ enabled: true })
    await clock.advance(hour / 30)
    assert.equal(stored(id).callback.state, 'received')
    await dispatcher.drain(0)
  })

  it('that stays turned off is given up when its last try was due, and not before', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { clock, dispatcher, stored } = bench
    answerWith(bench, answered(500))
    dispatcher.start()
    const id = await rejectOne(bench)
    await clock.advance(2_000)
    await bench.setCallback({ enabled: false })
    await clock.advance(17.5 * hour)
    assert.equal(stored(id).callback.state, 'pending')
    await clock.advance(hour / 2)
    assert.equal(stored(id).callback.state, 'failed')
    assert.equal(toApp(bench).length, 1)
    await dispatcher.drain(0)
  })

  it('does not hold a 410 against a URL that was saved while it was on its way', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { clock, dispatcher, store } = bench
    bench.transport.follow(async ({ url }) => {
      if (url !== 'https://app.test/outcome') return answered(200)
      await bench.setCallback({ url: 'https://app.test/new' })
      return answered(410)
    })
    dispatcher.start()
    await rejectOne(bench)
    await clock.advance(2000)
    const [application] = store.rows(applications)
    assert.equal(application?.row.outcomeCallback?.gone, false)
    await dispatcher.drain(0)
  })

  it('refuses a replay where nothing is set up any more', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    answerWith(bench)
    bench.dispatcher.start()
    const id = await rejectOne(bench)
    await bench.clock.advance(givesUpAfter)
    await bench.setCallback({ enabled: false })
    const replayed = await bench.cases.replayCallback(admin, { reviewCaseId: id })
    assert.equal(refused(replayed).code, 'callback_not_configured')
    await bench.dispatcher.drain(0)
  })

  it('never lets an answer of the endpoint change the case itself', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const poison = JSON.stringify({ decision: 'approved', outcome: 'resumed', state: 'open' })
    answerWith(bench, answered(200, { body: poison }))
    bench.dispatcher.start()
    const id = await rejectOne(bench)
    const before = bench.stored(id)
    await bench.clock.advance(5000)
    const after = bench.stored(id)
    assert.equal(after.callback.state, 'received')
    assert.deepEqual(
      { ...after, callback: null, history: null, eventSequence: 0, updatedAt: 0 },
      { ...before, callback: null, history: null, eventSequence: 0, updatedAt: 0 },
    )
    const unfinished = bench.store
      .rows(deliveries)
      .filter(({ row }) => row.kind === 'callback' && row.status !== 'delivered')
    assert.equal(unfinished.length, 0)
    await bench.dispatcher.drain(0)
  })
})
