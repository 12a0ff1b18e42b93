import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '@countersign/core/testing'
import {
  createOutcomeCallbackHandler,
  createReceiver,
  isApproved,
  memoryInbox,
  type OutcomeTurn,
} from '@countersign/receiver-kit'
import { createSignedOutcomeHandler } from '@countersign/receiver-kit/reviewers'
import {
  createTestSigner,
  sampleOutcome,
  sampleReviewEvent,
  signLegacyEvent,
} from '@countersign/receiver-kit/testing'
import { pinned } from './received.ts'
import { bytes, drain, send, sharedSecret, start } from './support.ts'

function bench() {
  const clock = createManualClock(start)
  const signer = createTestSigner({ now: clock.now })
  const inbox = memoryInbox()
  const turns: OutcomeTurn[] = []
  let failures = 0
  const handler = createOutcomeCallbackHandler({
    keys: [signer.key, sharedSecret],
    applicationId: 'app_sample',
    inbox,
    clock,
    onOutcome(turn) {
      turns.push(turn)
      if (failures-- > 0) throw new Error('the queue is away')
    },
  })
  return {
    clock,
    signer,
    inbox,
    handler,
    turns,
    fail: (times: number) => {
      failures = times
    },
  }
}

describe('the outcome callback', () => {
  it('is stored once, acknowledged, and handed over at least once', async () => {
    const { clock, signer, handler, turns, fail } = bench()
    fail(2)
    const message = signer.sign(sampleOutcome({ resumeToken: 'opaque', response: { note: 1 } }))
    for (const _ of [1, 2]) assert.equal((await send(handler, message)).status, 204)
    await drain(handler, clock)
    await clock.advance(1_000)
    await drain(handler, clock)
    await clock.advance(2_000)
    await drain(handler, clock)
    await clock.advance(60_000)
    assert.deepEqual(await drain(handler, clock), { handled: 0, failed: 0 })
    assert.deepEqual(
      turns.map(({ attempt }) => attempt),
      [1, 2, 3],
    )
    assert.equal(turns[0]?.outcome.resumeToken, 'opaque')
    assert.deepEqual(turns[0]?.outcome.response, { note: 1 })
  })

  it('approves by one decision alone', () => {
    const approving = (
      ['approved', 'rejected', 'response_submitted', 'cancelled', 'expired'] as const
    )
      .map((decision) => sampleOutcome({ decision }))
      .filter(isApproved)
      .map(({ decision }) => decision)
    assert.deepEqual(approving, ['approved'])
  })

  const refused: Record<string, [object, string]> = {
    'an event': [
      sampleReviewEvent({ id: 'cb_sample', type: 'review.case.decided', decision: 'approved' }),
      'wrong_endpoint',
    ],
    'a decision that it does not know': [
      { ...sampleOutcome(), decision: 'approved_with_conditions' },
      'unreadable_body',
    ],
    'no decision': [{ ...sampleOutcome(), decision: null }, 'unreadable_body'],
    'another version': [{ ...sampleOutcome(), schemaVersion: 2 }, 'unreadable_body'],
    'another id': [sampleOutcome({ id: 'cb_other' }), 'id_mismatch'],
  }
  for (const [what, [message, code]] of Object.entries(refused))
    it(`with ${what} is refused, so that the case shows that it failed`, async () => {
      const { signer, handler, inbox } = bench()
      const body = bytes(JSON.stringify(message))
      const answer = await send(handler, signer.signBytes('cb_sample', body))
      assert.deepEqual(answer, { status: 400, body: { code } })
      assert.deepEqual(await inbox.has(['cb_sample', 'cb_other']), [false, false])
    })

  it('that is no JSON is refused too, unlike an event', async () => {
    const { signer, handler } = bench()
    const answer = await send(handler, signer.signBytes('cb_sample', bytes('{')))
    assert.deepEqual(answer, { status: 400, body: { code: 'unreadable_body' } })
  })

  it('never comes under the legacy signature', async () => {
    const { handler } = bench()
    for (const secret of ['a secret', sharedSecret])
      assert.equal((await send(handler, signLegacyEvent(sampleOutcome(), secret))).status, 401)
  })

  it('runs the handler that it was made with, though the same options are filled anew for another', async () => {
    const { clock, signer } = bench()
    const heard: string[] = []
    const fillingOf = (name: string, applicationId: string) => ({
      keys: [signer.key],
      clock,
      applicationId,
      inbox: memoryInbox(),
      onOutcome: () => void heard.push(`${name} handled`),
      onProblem: ({ code }: { readonly code: string }) => void heard.push(`${name} told ${code}`),
    })
    const outcomes = [
      (shared: object) =>
        createOutcomeCallbackHandler(Object.assign(shared, fillingOf('first', 'app_sample'))),
      (shared: object) =>
        createSignedOutcomeHandler(
          Object.assign(shared, fillingOf('first', 'app_sample'), { reviewers: pinned }),
        ),
    ]
    for (const create of outcomes) {
      const shared = {}
      const handler = create(shared)
      Object.assign(shared, fillingOf('second', 'app_other'))
      await send(handler, signer.sign(sampleOutcome()))
      await drain(handler, clock)
      await send(handler, signer.sign(sampleOutcome({ id: 'cb_2', applicationId: 'app_other' })))
    }
    assert.deepEqual(
      heard.filter((each) => !each.endsWith('not_signed')),
      [
        'first handled',
        'first told foreign_application',
        'first handled',
        'first told foreign_application',
      ],
    )
  })

  it('may share its inbox with the receiver of events, and neither sees what is the other’s', async () => {
    const { clock, signer, handler, inbox, turns } = bench()
    const events: string[] = []
    const receiver = createReceiver({
      keys: [signer.key],
      inbox,
      clock,
      onEvent: ({ message }) => void events.push(message.id),
    })
    await send(handler, signer.sign(sampleOutcome()))
    await send(receiver, signer.sign(sampleReviewEvent()))
    await drain(receiver, clock)
    assert.deepEqual([events, turns.length], [['evt_sample'], 0])
    await drain(handler, clock)
    assert.deepEqual([events, turns.length], [['evt_sample'], 1])
  })
})
