import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answered } from '@countersign/core/testing'
import { messages } from '../../outbox/records.ts'
import { ann, app, bob, createBench, hour, seenOf, value } from './bench.ts'

/** One mark for each private text. */
const marks = [
  'presentation',
  'policyResult',
  'resumeToken',
  'question',
  'answer',
  'comment',
  'response',
  'detail',
  'idempotencyKey',
] as const
const mark = (name: (typeof marks)[number]) => `CANARY-${name}`
const found = (text: string) => marks.filter((name) => text.includes(mark(name)))

describe('what leaves the service with an event', () => {
  it('holds nothing of a prompt, a text of a human or an application, an address or a secret', async () => {
    const bench = await createBench({ callback: true, dispatch: true })
    const { cases, clock, dispatcher } = bench
    bench.transport.follow(({ url }) => answered(url === 'https://app.test/outcome' ? 500 : 200))
    dispatcher.start()
    let review = await bench.open({
      presentation: { prompt: mark('presentation') },
      policyResults: [{ output: mark('policyResult') }],
      resumeToken: mark('resumeToken'),
      idempotencyKey: mark('idempotencyKey'),
      requestedBy: 'mem_admin',
    })
    const id = review.reviewCaseId
    review = value(await cases.claim(ann, { reviewCaseId: id }))
    review = value(
      await cases.reassign(ann, { reviewCaseId: id, ...seenOf(review), reviewerId: 'mem_bob' }),
    )
    review = value(
      await cases.requestFollowUp(bob, {
        reviewCaseId: id,
        ...seenOf(review),
        question: mark('question'),
      }),
    )
    await clock.advance(25 * hour)
    await bench.runner.tick()
    review = value(await cases.read(ann, { reviewCaseId: id }))
    review = value(
      await cases.answerFollowUp(app, {
        reviewCaseId: id,
        ...seenOf(review),
        answer: mark('answer'),
      }),
    )
    review = value(
      await cases.decide(bob, {
        reviewCaseId: id,
        ...seenOf(review),
        presentationDigest: review.presentationDigest ?? '',
        decision: 'response_submitted',
        comment: mark('comment'),
        response: { text: mark('response') },
      }),
    )
    value(
      await cases.reportContinuation(app, {
        reviewCaseId: id,
        outcome: 'failed',
        detail: mark('detail'),
      }),
    )
    await clock.advance(30 * hour)
    await dispatcher.drain(0)

    const events = bench.sent().filter((body) => !body.includes('"review.outcome"'))
    assert.deepEqual(
      bench.events(id).map(({ type }) => type),
      [
        'review.case.created',
        'review.case.assignment_changed',
        'review.case.assignment_changed',
        'review.case.follow_up_required',
        'review.case.overdue',
        'review.case.decided',
        'review.continuation.acknowledged',
        'review.continuation.delivery_failed',
      ],
    )
    for (const body of events) {
      assert.deepEqual(found(body), [])
      for (const personal of ['mem_ann', 'mem_bob', 'mem_admin', '@'])
        assert.ok(!body.includes(personal))
    }
    // The callback is the application's own: its token and the response, and no more.
    const [callback] = bench.sent().filter((body) => body.includes('"review.outcome"'))
    assert.deepEqual(found(callback ?? ''), ['resumeToken', 'response'])
    assert.deepEqual(found(JSON.stringify(bench.audited())), [])
    assert.deepEqual(found(bench.observed.join('\n')), [])
    // All of it was there to leak; the token lies sealed, in the case and in the callback that is owed.
    const kept = JSON.stringify(bench.stored(id))
    assert.deepEqual(
      found(kept),
      marks.filter((name) => name !== 'idempotencyKey' && name !== 'resumeToken'),
    )
    const bytes = new TextDecoder('latin1')
    for (const { row } of bench.store.rows(messages))
      assert.deepEqual(found(bytes.decode(row.body)), [])
    assert.equal(
      value(await cases.read(app, { reviewCaseId: id })).checkpoint.resumeToken,
      mark('resumeToken'),
    )
  })
})
