import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalogue, type EventType } from '@countersign/core/events'
import type { ReceivedEvent } from '@countersign/receiver-kit'
import { sampleEvent, sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { readEvent } from '../events/read-event.ts'
import { createBench } from './support.ts'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <T extends true>(_?: T): void => {}

/** Compiles only while `type` tells every event apart. */
function describeEvent(event: ReceivedEvent): string {
  switch (event.type) {
    case 'review.case.decided':
      holds<Equals<typeof event.decision, 'approved' | 'rejected' | 'response_submitted'>>()
      return event.reviewCaseId
    case 'subscription.verification_requested':
      return event.challenge
    case 'subscription.events_missed':
      return `${event.missedFrom} to ${event.missedUntil}`
    case 'alert.triggered':
      holds<Equals<typeof event.data.currentValue, number>>()
      return event.data.alertRuleName
    case 'session.completed':
      return event.customerId
    case 'unknown':
      holds<Equals<typeof event.why, 'type' | 'version' | 'shape'>>()
      return `${event.originalType}: ${event.detail}`
    default:
      // @ts-expect-error a challenge belongs to the verification request alone
      return event.challenge ?? event.id
  }
}

async function received(message: object): Promise<{ event: ReceivedEvent; position: string }> {
  const { send, signer, drain, turns } = createBench()
  assert.ok((await send(signer.sign({ id: 'evt_1', ...message }))).status < 300)
  await drain()
  assert.equal(turns.length, 1)
  const [turn] = turns
  assert.ok(turn)
  assert.deepEqual(turn.message, { id: 'evt_1', ...message })
  return turn
}

describe('the typed view of an event', () => {
  it('is the event, where the catalogue knows it', async () => {
    const event = sampleReviewEvent({ type: 'review.case.decided', decision: 'approved' })
    assert.deepEqual((await received(event)).event, event)
    assert.equal(describeEvent((await received(event)).event), 'rc_sample')
  })

  it('reads an unknown reason as other, and keeps the reason in the message', async () => {
    const { event } = await received({ ...sampleReviewEvent(), reasonCategory: 'full_moon' })
    assert.equal('reasonCategory' in event && event.reasonCategory, 'other')
  })

  it('reads a member that was left out as null', async () => {
    const { decision, presentationDigest, ...rest } = sampleReviewEvent()
    const { event } = await received(rest)
    assert.deepEqual(event, { ...rest, decision, presentationDigest })
  })

  it('lets members pass that no type names', async () => {
    const { event } = await received({ ...sampleReviewEvent(), mood: 'sunny' })
    assert.equal(event.type, 'review.case.created')
    assert.equal('mood' in event && event.mood, 'sunny')
  })

  const unknown: [string, object, string, string][] = [
    ['a type of the future', { type: 'review.case.escalated' }, 'type', 'head'],
    ['a version of the future', { schemaVersion: 2 }, 'version', 'head'],
    ['a decision of the future', { decision: 'postponed' }, 'shape', 'head'],
    [
      'a decision without its value',
      { type: 'review.case.decided', decision: null },
      'shape',
      'head',
    ],
    ['no place in its case', { eventSequence: '7' }, 'shape', 'unordered'],
    ['no time', { dueAt: 'tomorrow' }, 'shape', 'head'],
  ]
  for (const [what, change, why, expected] of unknown)
    it(`is unknown for ${what}, which is folded all the same`, async () => {
      const { event, position } = await received({ ...sampleReviewEvent(), ...change })
      assert.deepEqual([event.type, position], ['unknown', expected])
      assert.equal(event.type === 'unknown' && event.why, why)
    })

  for (const type of Object.keys(catalogue) as EventType[]) {
    it(`knows ${type}, as it is sent and without what is null`, async () => {
      const event = sampleEvent(type, { id: 'evt_1' })
      const seen = await received(event)
      assert.deepEqual(seen.event, event)
      assert.ok(describeEvent(seen.event))
      const bare = Object.entries(event).filter(([, value]) => value !== null)
      assert.deepEqual((await received(Object.fromEntries(bare))).event, event)
    })

    it(`is unknown for a ${type} of which any member has another kind of value`, async () => {
      const event = sampleEvent(type, { id: 'evt_1' })
      for (const broken of variants(event, new Set(['id', 'type']))) {
        const read = readEvent({ ...broken, id: 'evt_1', type })
        assert.equal(read.type, 'unknown', JSON.stringify(broken))
      }
    })
  }
})

/** The object with one member broken, at any depth. */
function* variants(value: object, kept: ReadonlySet<string>): Generator<object> {
  for (const [name, member] of Object.entries(value)) {
    if (kept.has(name)) continue
    yield { ...value, [name]: true }
    if (typeof member === 'object' && member !== null && !Array.isArray(member))
      for (const inner of variants(member, new Set())) yield { ...value, [name]: inner }
  }
}
