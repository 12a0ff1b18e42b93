import assert from 'node:assert/strict'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { answered, failed } from '../../testing/index.ts'
import {
  admin,
  code,
  type Fixture,
  fixture,
  hour,
  obliging,
  type Published,
  value,
} from './fixture.ts'
import type { Flight, Post, Reply } from './stepper.ts'

export type Mood = 'good' | 'bad' | 'gone' | 'moody' | 'silent'

export const eventTypes = [
  'review.case.created',
  'review.case.decided',
  'session.flagged',
  'alert.triggered',
] as const

/** One webhook takes everything under Ed25519, the other two types under a shared secret. */
const webhookInputs = [
  { eventTypes: ['*'] },
  {
    eventTypes: ['review.case.decided', 'session.flagged'],
    signing: { method: 'shared_secret' },
  },
] as const

interface Expectation {
  readonly webhookId: string
  readonly selects: (type: string) => boolean
  /** The URL that answered 410, as long as the owner has not turned the webhook on since. */
  gone: string | null
  previousEnds: number
}

/** The world under test, with what its owner knows of it: an oracle that asks the product as little as it can. */
export interface World extends Fixture {
  readonly expectations: readonly Expectation[]
  readonly events: Published[]
  readonly flights: Flight[]
  urls: number
  before: ReadonlyMap<string, Delivery>
}

export async function createWorld(options: Parameters<typeof fixture>[0] = {}): Promise<World> {
  const base = fixture(options)
  const expectations: Expectation[] = []
  for (const input of webhookInputs) {
    const { id } = await base.created(input)
    const selects = (type: string) =>
      input.eventTypes.some((selected) => selected === '*' || selected === type)
    expectations.push({ webhookId: id, selects, gone: null, previousEnds: 0 })
  }
  return {
    ...base,
    expectations,
    events: [],
    flights: [],
    urls: 0,
    before: new Map(),
  }
}

export function expectation(world: World, webhookId: string): Expectation {
  const found = world.expectations.find((one) => one.webhookId === webhookId)
  assert.ok(found)
  return found
}

/** 11, 17, 18, 21: what may be sent now, and signed how. Called at the moment of each POST. */
export function checkPost(world: World, post: Post): void {
  const expected = expectation(world, post.endpointId)
  assert.equal(expected.gone, null, `${post.type} was sent after a 410`)
  const { status } = world.webhookOf(post.endpointId)
  const notice = post.type.startsWith('subscription.')
  if (status === 'turned_off') assert.ok(notice, `${post.type} was sent while off`)
  const signatures = post.headers['webhook-signature']?.split(' ') ?? []
  const standard = notice || post.type.startsWith('review.')
  if (!standard) assert.equal(signatures.length, 0)
  else if (post.endpointId === world.expectations[0]?.webhookId)
    assert.ok(signatures.length === 1 && signatures[0]?.startsWith('v1a,'))
  else assert.equal(signatures.length, post.at < expected.previousEnds ? 2 : 1)
}

export function land(world: World, flight: Flight, mood: Mood): Promise<void> {
  const answer = replyOf(world, mood)(flight.post)
  return flight.land(answer)
}

export function replyOf(world: World, mood: Mood): Reply {
  return (post) => {
    // No exchange lasts longer than 10 s; what is in flight when the clock moves on has timed out.
    if (mood === 'silent' || world.clock.now() - post.at > 10_000) return failed('timeout')
    if (mood === 'gone') {
      // What comes from a URL that the webhook has left does not count.
      if (post.url === world.webhookOf(post.endpointId).url)
        expectation(world, post.endpointId).gone ??= post.url
      return answered(410)
    }
    const good = mood === 'good' || (mood === 'moody' && world.random.chance(0.5))
    return good ? obliging(post) : answered(500)
  }
}

/** Sends what is due, each POST checked at its moment. */
export async function pump(world: World, mood: Mood): Promise<void> {
  for (let flight = await world.take(); flight; flight = await world.take()) {
    if (flight === 'over') continue
    checkPost(world, flight.post)
    await land(world, flight, mood)
  }
}

/** 10 and 12: rows move along the table of states, and a message keeps its bytes. */
export function checkRows(world: World): void {
  const rows = new Map<string, Delivery>()
  for (const { row } of world.store.rows(deliveries)) {
    const key = `${row.endpointId} ${row.messageId}`
    rows.set(key, row)
    const before = world.before.get(key)
    if (!before || before.round < row.round) continue
    assert.equal(before.round, row.round)
    const ended = before.status === 'delivered' || before.status === 'dead_lettered'
    if (ended) assert.equal(row.status, before.status, `${before.status} absorbs`)
    else if (before.status === 'retry_scheduled') assert.notEqual(row.status, 'pending')
    assert.equal(row.due === null, row.status === 'delivered' || row.status === 'dead_lettered')
  }
  for (const key of world.before.keys()) assert.ok(rows.has(key), 'no delivery is forgotten')
  world.before = rows
  const bodies = new Map<string, string>()
  for (const { messageId, headers, body, event } of world.posts) {
    const text = Buffer.from(body).toString()
    assert.equal(bodies.get(messageId) ?? text, text)
    bodies.set(messageId, text)
    assert.equal(event.id, messageId)
    assert.equal(headers['webhook-id'] ?? messageId, messageId)
  }
}

/** Lets everything come to rest: endpoints are well again, owners turn their webhooks on, and each hears something. */
export async function drain(world: World): Promise<void> {
  for (const flight of world.flights.splice(0)) await land(world, flight, 'good')
  for (const { webhookId } of world.expectations) {
    await turnOn(world, webhookId)
    value(await world.service.requestVerification(admin, { webhookId }))
  }
  for (let quiet = 0; quiet < 3; ) {
    await pump(world, 'good')
    await world.runner.tick()
    const due = world.store.rows(deliveries).some(({ row }) => row.due !== null)
    quiet = due ? 0 : quiet + 1
    await world.clock.advance(10 * hour)
  }
}

export async function turnOn(world: World, webhookId: string): Promise<void> {
  const expected = expectation(world, webhookId)
  if (expected.gone === world.webhookOf(webhookId).url) {
    assert.equal(code(await world.service.turnOn(admin, { webhookId })), 'endpoint_gone')
    const url = `https://h${++world.urls}.example/hook`
    value(await world.service.update(admin, { webhookId, url }))
  }
  value(await world.service.turnOn(admin, { webhookId }))
  expected.gone = null
}

/** 15 and 19, once everything has come to rest. */
export function checkPartition(world: World): void {
  for (const { webhookId, selects } of world.expectations) {
    const windows = new Map<string, { from: number; until: number }>()
    for (const post of world.posts)
      if (
        post.endpointId === webhookId &&
        post.type === 'subscription.events_missed' &&
        post.status === 200
      )
        windows.set(post.messageId, {
          from: Date.parse(String(post.event.missedFrom)),
          until: Date.parse(String(post.event.missedUntil)),
        })
    const sorted = [...windows.values()].sort((a, b) => a.from - b.from || a.until - b.until)
    for (const [at, { from, until }] of sorted.entries()) {
      assert.ok(from <= until, 'a window ends after it begins')
      assert.ok(from >= (sorted[at - 1]?.until ?? 0), 'windows do not overlap')
    }
    assert.deepEqual(world.webhookOf(webhookId).unreported, [], 'every window is reported')
    for (const { id, type, at } of world.events.filter((event) => selects(event.type))) {
      const inside = sorted.filter(({ from, until }) => from <= at && at < until).length
      const row = world.deliveryOf(webhookId, id)?.row
      if (row) {
        assert.ok(['delivered', 'dead_lettered'].includes(row.status), `${type} is ${row.status}`)
        assert.equal(inside, 0, `${type} was sent, and yet lies in a window`)
      } else assert.equal(inside, 1, `${type} at ${at} was neither sent nor reported as missed`)
    }
    const owed = world.store
      .rows(deliveries)
      .filter(({ row }) => row.endpointId === webhookId && row.kind === 'event')
    assert.ok(owed.every(({ row }) => selects(row.type)))
  }
}
