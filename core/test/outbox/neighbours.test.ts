import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DispatcherOptions } from '../../outbox/options.ts'
import { answered } from '../../testing/index.ts'
import { after, createRig, type Process, type Rig } from './rig.ts'

// What one tenant does must not keep a tenant waiting that has nothing under way.

const scale = {
  slots: 64,
  slotsPerTenant: 32,
  slotsPerEndpoint: 16,
  ready: 128,
  readyPerTenant: 96,
  readyPerEndpoint: 96,
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(3, '0')}`)

async function backlog(rig: Rig, endpointIds: readonly string[], each: number): Promise<void> {
  const maker = rig.process()
  for (let n = 0; n < each; n++) for (const id of endpointIds) await maker.owe([id], 'once')
}

const quickMs = 10
const pollMs = 1_000
/** A free slot is filled at once, or together with others a moment later. */
const fillMs = 25
const isQuiet = (id: string) => id.startsWith('wh_quiet')

interface Load {
  /** Endpoints with work, and the tenant of each. */
  readonly busy: ReadonlyMap<string, string>
  readonly each: number
  /** How long an endpoint takes to answer at a time. */
  takes(at: number): number
}

/** Deliveries that wait for their POST after a quiet tenant's change, in ms, by who made the change. */
interface Waits {
  readonly ownProcess: readonly number[]
  readonly otherProcess: readonly number[]
}

/** Lets a quiet tenant owe two deliveries at a time beside the load. */
async function waits(load: Load, given: Partial<DispatcherOptions>): Promise<Waits> {
  const rig = createRig()
  for (const [id, tenant] of load.busy) await rig.hook(id, tenant)
  await rig.hook('wh_quiet1', 'ten_quiet')
  await rig.hook('wh_quiet2', 'ten_quiet')
  await backlog(rig, [...load.busy.keys()], load.each)
  rig.receiver = ({ url }) => {
    const quick = isQuiet(new URL(url).hostname)
    return after(rig.clock, quick ? quickMs : load.takes(rig.clock.monotonic()), answered(200))
  }
  const process = rig.process({ ...scale, pollMs, ...given })
  const another = rig.process()
  process.dispatcher.start()
  await rig.clock.advance(700)
  const found = { ownProcess: [] as number[], otherProcess: [] as number[] }
  for (let n = 0; n < 8; n++) {
    found.ownProcess.push(...(await published(rig, process)))
    found.otherProcess.push(...(await published(rig, another)))
  }
  const left = rig.deliveries().filter(({ row }) => row.due !== null)
  assert.ok(left.length > load.busy.size, 'the load lasted to the end')
  return found
}

async function published(rig: Rig, maker: Process): Promise<readonly number[]> {
  const before = rig.posts.length
  const at = rig.clock.monotonic()
  await maker.owe(['wh_quiet1', 'wh_quiet2'], 'once')
  await rig.clock.advance(1_300)
  const posts = rig.posts.slice(before).filter(({ endpointId }) => isQuiet(endpointId))
  return [0, 1].map((which) => (posts[which]?.mark ?? Number.POSITIVE_INFINITY) - at)
}

const loads: Readonly<Record<string, Load>> = {
  '40 endpoints that answer just within the deadline': {
    busy: new Map(numbered('wh_slow', 40).map((id) => [id, `ten_${id}`])),
    each: 8,
    takes: () => 9_500,
  },
  'more than fits into the waiting room, of endpoints that were quick and now are slow': {
    busy: new Map(numbered('wh_flood', 12).map((id, at) => [id, `ten_flood${at % 3}`])),
    each: 60,
    takes: (at) => (at < 100 ? quickMs : 9_500),
  },
}

for (const [name, load] of Object.entries(loads))
  test(`a tenant with nothing in flight is served at once beside ${name}`, async () => {
    const served = async (given: Partial<DispatcherOptions>) => {
      const { ownProcess, otherProcess } = await waits(load, given)
      const atMost = quickMs + fillMs
      assert.ok(Math.max(...ownProcess) <= atMost, `own process: ${ownProcess}`)
      assert.ok(Math.max(...otherProcess) <= pollMs + atMost, `another: ${otherProcess}`)
    }
    await served({})
    await assert.rejects(served({ slotsInReserve: 0, readyInReserve: 0 }), 'no reserve')
    await assert.rejects(served({ slotsInReserve: 0 }), 'no reserve of slots')
  })
