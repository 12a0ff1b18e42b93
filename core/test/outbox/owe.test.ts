import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noIntake } from '../../outbox/kind.ts'
import { type Owed, owe } from '../../outbox/owe.ts'
import { type Delivery, deliveries, messages, type NewMessage } from '../../outbox/records.ts'

const message: NewMessage = {
  messageId: 'evt_1',
  tenantId: 'ten_1',
  applicationId: 'app_1',
  type: 'review.case.created',
  family: 'standard',
  createdAt: 1_000,
  body: new TextEncoder().encode('{}'),
}
const attempt = { now: 1_000, id: (prefix: string) => `${prefix}_new` }
const to = (endpointId: string): Owed => ({
  endpointId,
  kind: 'event',
  policy: 'review',
  generation: 2,
  trigger: 'event',
})

test('a message is put once, with its endpoints and a delivery for each', () => {
  const puts = owe(attempt, noIntake, message, [to('wh_1'), to('wh_2')])
  assert.deepEqual(
    puts.map((put) => put.in),
    [messages.name, deliveries.name, deliveries.name],
  )
  assert.ok(puts.every((put) => put.was === null))
  assert.deepEqual(puts[0]?.row, { ...message, endpointIds: ['wh_1', 'wh_2'] })
})

test('where the intake has room the delivery is born leased with its first attempt counted, else due at once', () => {
  const intake = {
    offer: (id: string) => (id === 'wh_1' ? { owner: 'us', until: 31_000 } : null),
  }
  const [, first, second] = owe(attempt, intake, message, [to('wh_1'), to('wh_2')])
  const leased = first?.row as Delivery
  const waiting = second?.row as Delivery
  assert.deepEqual(
    [first?.leasedBy, leased.due, leased.attempts, leased.firstAttemptAt],
    // When its POST begins is not known yet, and the last retry is counted from there.
    ['us', 31_000, 1, null],
  )
  assert.ok(second && !('leasedBy' in second))
  assert.deepEqual([waiting.due, waiting.attempts, waiting.firstAttemptAt], [1_000, 0, null])
  assert.equal(leased.generation, 2)
})

test('a delivery holds what its owner said and nothing else of what it passed', () => {
  const wide = { ...to('wh_1'), secret: 'whsec_x' }
  const [, put] = owe(attempt, noIntake, message, [wide])
  assert.ok(!('secret' in (put?.row ?? {})))
})
