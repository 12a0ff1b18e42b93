import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '@countersign/core/testing'
import { isApproved, memoryInbox } from '@countersign/receiver-kit'
import {
  createSignedOutcomeHandler,
  type PinnedReviewers,
  type ReviewedTurn,
} from '@countersign/receiver-kit/reviewers'
import { createTestSigner } from '@countersign/receiver-kit/testing'
import { ada, at, eve, hourMs, pinned, received, withMember } from './received.ts'
import { asked, type Sent } from './signed-outcomes.ts'
import { drain, send, start } from './support.ts'

const rights = ada.outcome()
const signedAt = (ms: number) => ada.send(rights, { signed: { issuedAt: at(ms) } })

/** Genuine signatures of another time. */
const late: Record<string, readonly [Sent, RegExp, Partial<PinnedReviewers>?]> = {
  'of long ago': [signedAt(-25 * hourMs), /maxAgeMs/],
  'of a time to come': [signedAt(hourMs), /after it came at .* by this clock/],
  'of before it was asked': [
    signedAt(-hourMs),
    /before it was asked/,
    { within: async () => ({ askedAt: start - hourMs / 2 }) },
  ],
  'of after the deadline': [
    ada.send(rights),
    /deadline/,
    { within: async () => ({ deadline: start - hourMs / 2 }) },
  ],
  'of a deadline that can’t be read': [
    ada.send(rights),
    /deadline NaN/,
    { within: async () => ({ deadline: Number.NaN }) },
  ],
  'of a deadline that is a date': [
    ada.send(rights),
    /^expected deadline as a number of ms, got object$/,
    { within: async () => ({ deadline: new Date(start) as never }) },
  ],
  'of a time of asking that is null': [
    ada.send(rights),
    /^expected askedAt as a number of ms, got null$/,
    { within: async () => ({ askedAt: null as never }) },
  ],
  'of times that are not found': [
    ada.send(rights),
    /asked for at NaN/,
    { within: async () => null as never },
  ],
}

describe('the time of a signature', () => {
  for (const [name, [sent, why, reviewers]] of Object.entries(late))
    it(`is no time for an approval: ${name}`, async () => {
      const { status, turn, problem } = await received(sent, reviewers)
      assert.deepEqual(
        [status, turn?.approved, turn?.problem, problem?.code],
        [204, false, 'out_of_time', 'out_of_time'],
      )
      assert.match(problem?.detail ?? '', why)
    })

  it('approves until it is as old as it may be, by clocks that may differ by 5 minutes', async () => {
    const toleranceMs = 5 * 60_000
    const dayMs = 24 * hourMs
    const signedAt = (ms: number) => ada.send(ada.outcome(), { signed: { issuedAt: at(ms) } })
    const asked = async () => ({ askedAt: start - hourMs, deadline: start - hourMs })
    const limits: readonly (readonly [ms: number, next: number, object?])[] = [
      [toleranceMs, 1],
      [-dayMs - toleranceMs, -1],
      [-1000 - toleranceMs, -1, { maxAgeMs: 1000 }],
      [-hourMs + toleranceMs, 1, { within: asked }],
      [-hourMs - toleranceMs, -1, { within: asked }],
    ]
    for (const [ms, next, reviewers] of limits) {
      const last = await received(signedAt(ms), reviewers)
      assert.equal(last.turn?.approved, true, String(ms))
      const over = await received(signedAt(ms + next), reviewers)
      assert.deepEqual([over.turn?.approved, over.turn?.problem], [false, 'out_of_time'])
      assert.match(over.problem?.detail ?? '', /^signed at /)
    }
  })

  it('is told with its decision and time where it was signed at another time than it may be', async () => {
    const issuedAt = at(-25 * hourMs)
    const response = { days: 3 }
    for (const [decision, more] of [
      ['approved', {}],
      ['response_submitted', { response }],
    ] as const) {
      const sent = ada.send(ada.outcome({ decision, ...more }), { signed: { issuedAt } })
      const { status, drained, turn, problem } = await received(sent)
      assert.deepEqual([status, drained], [204, { handled: 1, failed: 0 }])
      assert.deepEqual(turn && { ...turn, outcome: null }, {
        ...{ approved: false, problem: 'out_of_time', attempt: 1, receivedAt: start },
        signed: { decision, response: null, signedAt: issuedAt, ...more },
        outcome: null,
      })
      const told = turn ?? assert.fail('nothing was told')
      assert.deepEqual(['decision' in told.outcome, 'response' in told.outcome], [false, false])
      assert.equal(isApproved(told.outcome as Sent), false)
      assert.equal(problem?.code, 'out_of_time')
      assert.match(problem?.detail ?? '', new RegExp(`^signed at ${issuedAt}, .*maxAgeMs`))
    }
  })

  it('is no signature of a reviewer where only its time would be told, and it is forged', async () => {
    const old = { issuedAt: at(-25 * hourMs) }
    const { credentialId: kid } = ada.authenticator
    const forged = withMember(eve.send(rights, { signed: old }), { credentialId: kid })
    const { turn, problem } = await received(forged)
    assert.deepEqual([turn?.problem, problem?.code], ['not_signed', 'not_signed'])
  })

  it('rejects whenever it was signed, for it permits nothing', async () => {
    for (const ms of [-9_000 * hourMs, hourMs]) {
      const rejected = ada.outcome({ decision: 'rejected' })
      const { turn, problem } = await received(
        ada.send(rejected, { signed: { issuedAt: at(ms) } }),
        { within: async () => ({ askedAt: start - hourMs, deadline: start - hourMs }) },
      )
      assert.deepEqual([turn?.approved, turn?.problem, problem], [false, null, undefined])
      assert.equal(turn?.problem === null && turn.outcome.decision, 'rejected')
    }
  })

  it('that came too late is kept where its turn throws, and approves once it may be so old', async () => {
    const clock = createManualClock(start)
    const signer = createTestSigner({ now: clock.now })
    const inbox = memoryInbox()
    const heard: unknown[] = []
    const handlerOf = (maxAgeMs: number) =>
      createSignedOutcomeHandler({
        ...{ keys: [signer.key], applicationId: () => true, inbox, clock },
        retryAfterMs: () => 1_000,
        reviewers: { ...pinned, maxAgeMs },
        onOutcome: ({ approved, problem }) => {
          heard.push([approved, problem])
          if ((problem as string | null) === 'out_of_time') throw new Error('kept')
        },
      })
    const first = handlerOf(24 * hourMs)
    await send(first, signer.sign(ada.send(rights, { signed: { issuedAt: at(-30 * hourMs) } })))
    assert.deepEqual(await drain(first, clock), { handled: 0, failed: 1 })
    await clock.advance(1_000)
    assert.deepEqual(await drain(handlerOf(48 * hourMs), clock), { handled: 1, failed: 0 })
    assert.deepEqual(heard, [
      [false, 'out_of_time'],
      [true, null],
    ])
  })

  it('is as old as it was when it came, however late it is handled', async () => {
    let isAway = true
    const clock = createManualClock(start)
    const signer = createTestSigner({ now: clock.now })
    const turns: ReviewedTurn[] = []
    const handler = createSignedOutcomeHandler({
      keys: [signer.key],
      applicationId: () => true,
      inbox: memoryInbox(),
      clock,
      retryAfterMs: () => 48 * hourMs,
      reviewers: {
        ...pinned,
        expected: async () => {
          if (isAway) throw new Error('the database is away')
          return asked
        },
      },
      onOutcome: (turn) => void turns.push(turn),
    })
    await send(handler, signer.sign(ada.send(ada.outcome())))
    await drain(handler, clock)
    isAway = false
    await clock.advance(48 * hourMs)
    await drain(handler, clock)
    assert.deepEqual(
      turns.map(({ approved }) => approved),
      [true],
    )
  })
})
