import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveries, messages, webhooks } from '@countersign/core/internal'
import { seededRandom } from '@countersign/core/testing'
import { checkWindows, watchMissed } from '../simulator/check/missed-windows.ts'
import { drawPlan } from '../simulator/draw-plan.ts'
import type { Disturbance } from '../simulator/plan.ts'
import type { Truth } from '../simulator/truth.ts'
import { createVirtualTime } from '../simulator/virtual-time.ts'
import { createWorld, epoch } from '../simulator/world.ts'

const minute = 60_000
const day = 24 * 60 * minute
const webhookId = 'wh_1'
const ahead: Disturbance = { at: 1, kind: 'jump', machine: 0, by: 3 * day }

interface Story {
  /** The missed event's time. */
  readonly at: number
  /** The clock of the process that turns the webhook on and owes the report. */
  readonly on?: number
  readonly told?: boolean
  readonly disturbances?: readonly Disturbance[]
}

/** What the check says of an event that was missed a minute after the turn-off, at the simulation's start. */
function judged({ at, on = epoch + 5 * minute, told = true, disturbances = [ahead] }: Story) {
  const world = createWorld(
    { ...drawPlan(1), disturbances, mends: true },
    { time: createVirtualTime(), chance: seededRandom(1), log: null },
  )
  const missed = watchMissed(world)
  const commit = (before: object | null, after: object | null) =>
    missed.committing(
      {
        by: 'm0.1',
        set: { tenant: null },
        transitions: [
          { in: webhooks.name, key: webhookId, before: row(before), after: row(after) },
        ],
      },
      [],
    )
  const reason = 'owner'
  const window = { from: epoch, until: null, reason, messageId: null, owedUnder: null }
  const off = { status: 'turned_off', updatedAt: epoch, unreported: [window] }
  const report = { ...window, from: Math.min(epoch, on), until: on, messageId: 'evt_1' }
  const receiving = { status: 'receiving', previousSecret: null }
  const owed = { ...receiving, updatedAt: on, unreported: told ? [report] : [] }

  commit({ ...receiving, updatedAt: epoch - 1, unreported: [] }, off)
  missed.committing({ by: 'm0.1', set: { tenant: null }, transitions: [] }, [
    { webhookId, at, what: 'review.case.expired' },
  ])
  commit(off, owed)
  const event = {
    missedFrom: new Date(report.from).toISOString(),
    missedUntil: new Date(on).toISOString(),
  }
  const body = new TextEncoder().encode(JSON.stringify(event))
  const type = 'subscription.events_missed'
  const delivery = { endpointId: webhookId, messageId: 'evt_1', type, status: 'delivered' }
  const rows: Readonly<Record<string, ReadonlyMap<string, unknown>>> = {
    [webhooks.name]: new Map([[webhookId, row({ ...owed, unreported: [] })]]),
    [deliveries.name]: new Map(told ? [['1', row(delivery)]] : []),
    [messages.name]: new Map([['evt_1', row({ body })]]),
  }
  const truth = { rows: ({ name }: { name: string }) => rows[name] } as unknown as Truth
  checkWindows(world, truth, missed.all)
  return world.violations.map(({ detail }) => detail)
}

function row(value: object | null) {
  return value && { row: value, version: 1, leasedBy: null }
}

const lost = [`${webhookId}: review.case.expired was missed and lies in no window`]

test('an event that was missed under a clock that ran ahead lies in its window by order of commits', () => {
  assert.deepEqual(judged({ at: epoch + 3 * day }), [])
})

test('an event that was missed under a clock that is right lies in its window by its time', () => {
  assert.deepEqual(judged({ at: epoch + minute }), [])
  assert.deepEqual(judged({ at: epoch - minute }), lost)
  assert.deepEqual(judged({ at: epoch + minute, on: epoch + 30_000 }), lost)
})

test('an event whose window a clock that was behind closed lies in it by order of commits', () => {
  assert.deepEqual(judged({ at: epoch + minute, on: epoch - day }), [])
})

test('an event that was missed under a clock that ran ahead is lost where nobody hears of its window', () => {
  assert.deepEqual(judged({ at: epoch + 3 * day, told: false }), lost)
})

test('an event that is timed far ahead is lost where no clock was set', () => {
  assert.deepEqual(judged({ at: epoch + 3 * day, disturbances: [] }), lost)
})
