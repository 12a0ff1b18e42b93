import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attemptBudget, policies } from '../../outbox/policy.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import type { Store } from '../../ports/index.ts'
import { answered, failed, type MemoryStore, seededRandom } from '../../testing/index.ts'
import { after, createRig, type Process, type Rig } from './rig.ts'

const endpoints = ['wh_a1', 'wh_a2', 'wh_b1', 'wh_c1', 'wh_c2'] as const
const slotsPerEndpoint = 3
const minute = 60_000

interface Answer {
  readonly key: string
  readonly status: number | null
}

/** A 410 that reached its process within the lease. */
interface Gone {
  readonly owner: string
  readonly endpointId: string
  readonly messageId: string
  /** How many POSTs there had been when it came. */
  readonly after: number
}

type Between = (real: MemoryStore) => Store

/**
 * Several processes on one store, receivers that fail in every way, crashes, stalls, store faults and drains;
 * then all heals, and what was promised must hold.
 */
async function simulate(seed: number, between: Between): Promise<void> {
  const random = seededRandom(seed)
  let healed = false
  const rig = createRig({
    seed,
    faults: (_, operation) => {
      if (!healed && operation.kind !== 'read' && random.chance(0.02)) throw new Error('injected')
    },
  })
  const answers: Answer[] = []
  const inFlight = new Map<string, number>()
  rig.receiver = async (exchange, owner) => {
    const endpointId = new URL(exchange.url).hostname.replace('.test', '')
    const lane = `${owner} ${endpointId}`
    inFlight.set(lane, (inFlight.get(lane) ?? 0) + 1)
    assert.ok((inFlight.get(lane) ?? 0) <= slotsPerEndpoint, 'the cap of one endpoint')
    const answer = async () => {
      if (healed) return answered(200)
      if (random.chance(0.1)) return after(rig.clock, 10_000, failed('timeout'))
      const dice = random.below(100)
      const result = answered(dice < 55 ? 200 : dice < 57 ? 410 : dice < 60 ? 301 : 500)
      return after(rig.clock, random.below(9_000), result)
    }
    const result = await answer()
    inFlight.set(lane, (inFlight.get(lane) ?? 0) - 1)
    const status = result.kind === 'answer' ? result.status : null
    answers.push({ key: `${endpointId} ${exchange.headers['webhook-id']}`, status })
    return result
  }
  const gone: Gone[] = []
  rig.heard = (exchange, owner, result, tookMs) => {
    if (result.kind !== 'answer' || result.status !== 410 || tookMs > 12_000) return
    const endpointId = new URL(exchange.url).hostname.replace('.test', '')
    const messageId = exchange.headers['webhook-id'] ?? ''
    gone.push({ owner, endpointId, messageId, after: rig.posts.length })
  }

  const start = (): Process => {
    const process = rig.process(
      { slotsPerEndpoint, slots: 8, slotsPerTenant: 5, slotsForSuspects: 4, pollMs: 10 * minute },
      between,
    )
    process.dispatcher.start()
    return process
  }
  for (const id of endpoints) {
    healed = true
    await rig.hook(id, `ten_${id[3]}`)
    healed = false
  }
  const processes = [start(), start()]
  const stalled = new Set<Process>()
  for (let step = 0; step < 30; step++) {
    const at = random.below(processes.length)
    const process = processes[at] as Process
    const dice = random.below(100)
    if (dice < 45 && !stalled.has(process)) {
      const wanted = endpoints.filter(() => random.chance(0.4))
      const owned = process.owe(wanted.length ? wanted.slice(0, 1) : ['wh_a1'], 'legacy')
      await Promise.race([owned.catch(() => {}), rig.clock.advance(1)])
    } else if (dice < 52) {
      process.crash()
      stalled.delete(process)
      processes[at] = start()
    } else if (dice < 60) {
      process.stall()
      stalled.add(process)
      await rig.clock.advance(random.chance(0.5) ? 45_000 : 100)
    } else if (dice < 67) {
      process.resume()
      stalled.delete(process)
    } else if (dice < 70 && !stalled.has(process)) {
      void process.dispatcher.drain(5_000)
      await rig.clock.advance(5_001)
      processes[at] = start()
    } else await rig.clock.advance(random.below(dice < 90 ? 4_000 : 40_000))
  }
  for (const process of stalled) process.resume()
  await rig.clock.advance(50_000)
  healed = true
  await rig.clock.advance(30 * minute)
  check(rig, answers, gone)
}

function check(rig: Rig, answers: readonly Answer[], gone: readonly Gone[]): void {
  const rows = rig.deliveries().map(({ row }) => row)
  for (const row of rows) checkDelivery(rig, row, answers)
  const logged = rig.attempts().map((each) => `${each.deliveryId} ${each.attempt}`)
  assert.equal(new Set(logged).size, logged.length, 'one log entry for each attempt of a round')
  // What was owed after the turn-off belongs to the next generation, which the rig lets through.
  const generation = (endpointId: string, messageId: string) =>
    rows.find((row) => row.endpointId === endpointId && row.messageId === messageId)?.generation ??
    0
  for (const { owner, endpointId, messageId, after } of gone)
    for (const post of rig.posts.slice(after)) {
      if (post.owner !== owner || post.endpointId !== endpointId) continue
      assert.ok(
        generation(endpointId, post.messageId) > generation(endpointId, messageId),
        'no POST of the process that heard a 410',
      )
    }
}

function checkDelivery(rig: Rig, row: Delivery, answers: readonly Answer[]): void {
  const posts = rig.posts.filter(
    ({ endpointId, messageId }) => endpointId === row.endpointId && messageId === row.messageId,
  )
  const key = `${row.endpointId} ${row.messageId}`
  const mine = answers.filter((answer) => answer.key === key)
  const turnedOff = (rig.hookRow(row.endpointId)?.generation ?? 0) > row.generation
  assert.ok(
    row.status === 'delivered' || row.status === 'dead_lettered',
    `${key} is still ${row.status}, due in ${(row.due ?? 0) - rig.clock.now()} ms`,
  )
  if (row.status === 'delivered')
    assert.ok(
      mine.some(({ status }) => status === 200),
      'delivered means that a 2xx came',
    )
  else
    assert.ok(turnedOff || posts.length >= 1, 'given up means off, or tried as often as promised')
  assert.ok(posts.length <= attemptBudget(policies[row.policy]), `${posts.length} POSTs`)
  assert.ok(new Set(posts.map(({ body }) => body)).size <= 1, 'the same bytes')
  for (const [at, post] of posts.slice(1).entries())
    assert.ok(post.mark - (posts[at]?.mark ?? 0) >= 5_000, 'never before the schedule or the lease')
  const settled = rig.attempts().filter(({ deliveryId }) => deliveryId === row.deliveryId)
  assert.equal(
    settled.some(({ outcome }) => outcome === 'delivered'),
    row.status === 'delivered',
    'the log and the row agree',
  )
}

const real: Between = (store) => store

test('whatever fails, each delivery ends as promised: 30 seeds of crashes, stalls, faults and bad receivers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), (seed) => simulate(seed, real)),
    { numRuns: 30 },
  )
})

const mutants: Readonly<Record<string, Between>> = {
  'a claim that takes what is leased': (store) => ({
    ...store,
    lanes: (query) => store.lanes({ ...query, now: query.now + 29_000 }),
    nextDue: async (query) => {
      const due = await store.nextDue(query)
      return due && due - 29_000
    },
    claim: (query) =>
      store.claim({ ...query, now: query.now + 29_000, leaseUntil: query.leaseUntil + 29_000 }),
  }),
  'a settle that is told but not written': (store) => ({
    ...store,
    commit: async (set) =>
      set.puts?.some(({ in: name, was }) => name === deliveries.name && was)
        ? { committed: true, ranges: [] }
        : store.commit(set),
  }),
  'a claim that does not count': (store) => ({
    ...store,
    claim: async (query) =>
      (await store.claim(query)).map((found) => {
        const row = found.row as Delivery
        return { ...found, row: { ...row, attempts: Math.max(1, row.attempts - 1) } }
      }),
  }),
}
for (const [name, mutant] of Object.entries(mutants))
  test(`the simulation kills ${name}`, async () => {
    await assert.rejects(
      fc.assert(
        fc.asyncProperty(fc.integer(), (seed) => simulate(seed, mutant)),
        { numRuns: 40, endOnFailure: true },
      ),
    )
  })
