import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Inbox } from '@countersign/core/ports'
import { createManualClock, type ManualClock } from '@countersign/core/testing'
import { type EventTurn, memoryInbox } from '@countersign/receiver-kit'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { createBench, start } from './support.ts'

const holdMs = 30_000
const nothing = { handled: 0, failed: 0 }

interface Ending {
  readonly turn: string
  succeed(): Promise<void>
  fail(): Promise<void>
}

/** A receiver whose handlers end when told to. */
function createWaiting(inbox: Inbox, clock: ManualClock = createManualClock(start)) {
  const endings: Ending[] = []
  const bench = createBench({
    inbox,
    holdMs,
    clock,
    onEvent: ({ message, attempt }: EventTurn) =>
      new Promise<void>((resolve, reject) => {
        endings.push({
          turn: `${message.id} ${attempt}`,
          async succeed() {
            resolve()
            await clock.advance(0)
          },
          async fail() {
            reject(new Error('too late'))
            await clock.advance(0)
          },
        })
      }),
  })
  return { ...bench, clock, endings, turns: () => endings.map(({ turn }) => turn) }
}

const first = sampleReviewEvent({ id: 'evt_a', caseVersion: 1, eventSequence: 1 })
const next = sampleReviewEvent({ id: 'evt_b', caseVersion: 2, eventSequence: 2 })

/** An event, and the next of its case, in an inbox whose first taker lost its hold to a second. */
async function overtaken() {
  const inbox = memoryInbox()
  const late = createWaiting(inbox)
  const { clock, send, signer } = late
  const newer = createWaiting(inbox, clock)
  const third = createBench({ inbox, clock })
  await send(signer.sign(first))
  const lateDrained = late.receiver.drain()
  await clock.advance(0)
  // As while a machine sleeps: no timer fires, so that no hold is renewed.
  clock.jump(holdMs)
  const newerDrained = newer.receiver.drain()
  await clock.advance(0)
  await send(signer.sign(next))
  assert.deepEqual([late.turns(), newer.turns()], [['evt_a 1'], ['evt_a 2']])
  return { late, newer, third, lateDrained, newerDrained }
}

describe('a handler whose process was stopped beyond its hold', () => {
  for (const way of ['succeed', 'fail'] as const)
    it(`settles nothing when it ends after all (${way})`, async () => {
      const { late, newer, third, lateDrained, newerDrained } = await overtaken()
      await late.endings[0]?.[way]()
      const detail = way === 'fail' ? 'Error: too late' : null
      assert.deepEqual(late.told('handler.stale_completion'), [
        { id: 'evt_a', type: 'review.case.created', attempt: 1, detail },
      ])
      assert.deepEqual([late.told('handler.done'), late.told('handler.failed')], [[], []])
      assert.deepEqual(await third.drain(), nothing, 'a third handler, or the next of the case')

      await newer.endings[0]?.succeed()
      await newer.endings[1]?.succeed()
      assert.deepEqual(await newerDrained, { handled: 2, failed: 0 })
      assert.deepEqual(await lateDrained, nothing)
    })

  it('settles the turn that its own process was given meanwhile', async () => {
    const inbox = memoryInbox()
    const { clock, send, signer, receiver, endings, turns, told } = createWaiting(inbox)
    const other = createBench({ inbox, clock })
    await send(signer.sign(first))
    const drained = receiver.drain()
    await clock.advance(0)
    clock.jump(holdMs)
    await clock.advance(holdMs / 3 - 1)
    for (let times = 0; times < 5; times++) {
      await clock.advance(holdMs - 1)
      assert.deepEqual(await other.drain(), nothing, 'its renewals are of the newest turn')
    }
    await endings[0]?.succeed()
    assert.deepEqual(await drained, { handled: 1, failed: 0 })
    assert.deepEqual(turns(), ['evt_a 1'])
    assert.deepEqual(told('handler.done'), [
      { id: 'evt_a', type: 'review.case.created', attempt: 2 },
    ])
    assert.equal(clock.waiting(), 0)
  })

  it('settles it too, when it comes while the ending is being written', async () => {
    const inbox = memoryInbox()
    let release = () => {}
    const written = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow: Inbox = {
      ...inbox,
      async handled(turn, at) {
        await written
        return inbox.handled(turn, at)
      },
    }
    const { clock, send, signer, receiver, endings, turns, told } = createWaiting(slow)
    await send(signer.sign(first))
    const drained = receiver.drain()
    await clock.advance(0)
    await endings[0]?.succeed()
    clock.jump(holdMs)
    await clock.advance(holdMs / 3 - 1)
    release()
    await clock.advance(0)
    assert.deepEqual(await drained, { handled: 1, failed: 0 })
    assert.deepEqual(turns(), ['evt_a 1'])
    assert.deepEqual(told('handler.stale_completion'), [])
  })
})
