import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { catalogue, type EventType, selectableTypes } from '../../base/events/catalogue.ts'
import type { Outgoing } from '../../base/events/outgoing.ts'
import type { Put, Versioned } from '../../base/ports/store.ts'
import { noIntake } from '../../outbox/kind.ts'
import { type Delivery, deliveries, type Message, messages } from '../../outbox/records.ts'
import { type Route, type Routing, routings } from '../../webhooks/records.ts'
import {
  aheadMs,
  broughtBack,
  emptyRouting,
  eventTime,
  leadMs,
  offTime,
  onTime,
} from '../../webhooks/routing/event-time.ts'
import { fanOut } from '../../webhooks/routing/fan-out.ts'

const now = Date.UTC(2026, 10, 21, 8, 0, 0)
let made = 0
const id = (prefix: string) => `${prefix}_${made++}`
const body = new TextEncoder().encode('{}')

const route = (more: Partial<Route>): Route => ({
  webhookId: 'wh_1',
  receiving: true,
  generation: 1,
  eventTypes: ['*'],
  ...more,
})
const routing = (routes: readonly Route[], more: Partial<Routing> = {}): Versioned<Routing> => ({
  row: { ...emptyRouting('ten_1'), routes, ...more },
  version: 7,
  leasedBy: null,
})
const event = (type: Outgoing['type'], messageId = 'evt_1'): Outgoing => ({
  id: messageId,
  type,
  applicationId: 'app_1',
  body,
})
function published(seen: Versioned<Routing> | null, events: readonly Outgoing[], at = now) {
  return fanOut({ routing: seen, tenantId: 'ten_1', events, now: at, id, intake: noIntake })
}
const rows = <R>(puts: readonly Put[], name: string): readonly R[] =>
  puts.filter((put) => put.in === name).map(({ row }) => row as R)

test('an event is owed to each webhook that selected it and receives, its bytes kept once', () => {
  const seen = routing([
    route({ webhookId: 'wh_all' }),
    route({ webhookId: 'wh_this', eventTypes: ['review.case.decided'], generation: 3 }),
    route({ webhookId: 'wh_other', eventTypes: ['review.case.created'] }),
    route({ webhookId: 'wh_off', receiving: false }),
  ])
  const { checks, puts } = published(seen, [event('review.case.decided')], now)
  const owed = rows<Delivery>(puts, deliveries.name)
  assert.deepEqual(
    owed.map(({ endpointId, generation, kind, policy }) => [endpointId, generation, kind, policy]),
    [
      ['wh_all', 1, 'event', 'review'],
      ['wh_this', 3, 'event', 'review'],
    ],
  )
  assert.equal(rows<Message>(puts, messages.name).length, 1)
  // The horizon had to move, so the row is written; a check of it would be one too many.
  assert.deepEqual(checks, [])
  assert.equal(rows<Routing>(puts, routings.name).length, 1)
})

test('the older families have their own policy', () => {
  const { puts } = published(routing([route({})]), [event('session.flagged')])
  assert.equal(rows<Delivery>(puts, deliveries.name)[0]?.policy, 'legacy')
})

test('the routing row is checked, its absence too, also when nobody is owed anything', () => {
  const check = { in: routings.name, key: ['ten_1'] }
  const events = [event('review.case.decided')]
  assert.deepEqual(published(null, events), { checks: [{ ...check, version: 0 }], puts: [] })
  const none = routing([route({ eventTypes: ['session.flagged'] })])
  assert.deepEqual(published(none, events), { checks: [{ ...check, version: 7 }], puts: [] })
  assert.deepEqual(published(none, []), { checks: [], puts: [] })
})

test('exactly the selected types are owed', () => {
  const types = fc.subarray([...selectableTypes])
  fc.assert(
    fc.property(types, fc.constantFrom(...selectableTypes), (selected, type) => {
      const seen = routing([route({ eventTypes: selected })])
      const { puts } = published(seen, [event(type as Outgoing['type'])])
      assert.equal(rows(puts, deliveries.name).length, selected.includes(type) ? 1 : 0)
    }),
  )
  const notices = (Object.keys(catalogue) as EventType[]).filter((type) => type.startsWith('sub'))
  assert.ok(notices.every((type) => !selectableTypes.includes(type)))
})

test('by its time alone an event lies before a turn-off, in the window, or after it', () => {
  const step = fc.record({
    what: fc.constantFrom('event', 'off', 'on'),
    wait: fc.integer({ min: 0, max: 5_000 }),
    /** The clock may also have been set back, as far as a clock that ran ahead. */
    back: fc.oneof(
      { arbitrary: fc.constant(0), weight: 10 },
      { arbitrary: fc.integer({ min: 0, max: 600_000 }), weight: 1 },
    ),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let clock = now
      let seen = routing([route({})])
      let setBack = false
      const windows: { from: number; until: number }[] = []
      let missed: number[] = []
      const sentAfter: { at: number; since: number }[] = []
      for (const { what, wait, back } of steps) {
        clock += wait - back
        setBack ||= back > 0
        const receiving = seen.row.routes[0]?.receiving ?? false
        if (what === 'event') {
          const at = eventTime(seen, clock)
          assert.ok(at <= clock + leadMs, `${at - clock} ms ahead of the clock`)
          const { puts } = published(seen, [event('review.case.created')], clock)
          const [raised] = rows<Routing>(puts, routings.name)
          if (raised) seen = { ...seen, row: raised }
          if (receiving) sentAfter.push({ at, since: seen.row.changedAt })
          else missed.push(at)
        } else if (what === 'off' && receiving) {
          const from = offTime(seen, clock)
          windows.push({ from, until: Number.POSITIVE_INFINITY })
          const row = broughtBack(seen.row, clock)
          const horizon = Math.max(row.horizon, from)
          const changedAt = Math.max(row.changedAt, from)
          seen = routing([route({ receiving: false })], { changedAt, horizon })
        } else if (what === 'on' && !receiving) {
          const until = onTime(seen, clock)
          assert.ok(until <= clock + aheadMs, `the window ends ${until - clock} ms ahead`)
          // What was missed under a clock that ran ahead lies in the future.
          missed = missed.filter((at) => at <= clock + aheadMs)
          const last = windows.at(-1)
          const row = broughtBack(seen.row, clock)
          const { horizon, floor } = row
          const from = Math.min(last?.from ?? until, floor ?? until, until)
          windows[windows.length - 1] = { from, until }
          const changedAt = Math.max(row.changedAt, until)
          seen = routing([route({})], { changedAt, horizon })
        }
      }
      // A window that lasts would begin at the floor, were it over.
      const lasts = windows.findIndex(({ until }) => until === Number.POSITIVE_INFINITY)
      const open = windows[lasts]
      if (open) windows[lasts] = { ...open, from: Math.min(open.from, seen.row.floor ?? open.from) }
      const inside = (at: number) => windows.filter(({ from, until }) => from <= at && at < until)
      for (const at of missed) assert.ok(inside(at).length >= 1, `missed at ${at}`)
      if (setBack) return
      for (const at of missed) assert.equal(inside(at).length, 1, `missed at ${at}`)
      for (const { at, since } of sentAfter) assert.ok(at >= since)
      for (const [index, { from }] of windows.entries())
        assert.ok(from >= (windows[index - 1]?.until ?? 0), 'windows do not overlap')
    }),
  )
})
