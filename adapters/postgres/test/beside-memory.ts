// Loaded before a test file of the core: each store in memory that it makes has PostgreSQL beside it, which gives the
// answers and must give the same. Manual clocks wait for it.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Store } from '@countersign/core/ports'
import type * as Testing from '@countersign/core/testing'
import type * as Wrapping from '../../../conformance/dist/mutants/wrap-modules.js'
import type * as Simulator from '../../../conformance/dist/simulator/index.js'
import { closeStores, emptiedStore } from './emptied-store.ts'

const programs = new URL('../../../../conformance/dist/', import.meta.url)
const { wrapModules }: typeof Wrapping = await import(
  new URL('mutants/wrap-modules.js', programs).href
)
const { twinStore }: typeof Simulator = await import(
  new URL('simulator/twin-store.js', programs).href
)

type Options = Parameters<typeof Testing.createMemoryStore>[0]

const twins: Simulator.TwinStore[] = []
/** The newest of each declaration: those before it are emptied with it. */
const newest = new Map<string, object>()
const problems: string[] = []

async function settled(): Promise<void> {
  for (;;) {
    const waits = twins.at(-1)?.settled() ?? null
    if (!waits) return
    await waits
  }
}

/** Opens its store at the first call. */
function later(open: () => Promise<Store>): Store {
  let opened: Promise<Store> | null = null
  const store = () => {
    opened ??= open()
    return opened
  }
  return {
    read: async (...asked) => (await store()).read(...asked),
    commit: async (set) => (await store()).commit(set),
    lanes: async (query) => (await store()).lanes(query),
    nextDue: async (query) => (await store()).nextDue(query),
    claim: async (query) => (await store()).claim(query),
    scrub: async () => (await store()).scrub(),
    // It goes on for the next test.
    close: async () => {},
  }
}

function beside(
  create: (options: Options) => Testing.MemoryStore,
): (options: Options) => Testing.MemoryStore {
  return ({ faults, ...declared }) => {
    const id = JSON.stringify(declared)
    const mine = {}
    newest.set(id, mine)
    const before = settled()
    const real = later(async () => {
      await before
      return emptiedStore(declared)
    })
    const open = (memory: Testing.MemoryStore, given: Options['faults']): Testing.MemoryStore => {
      const twin = twinStore(memory, real)
      twins.push(twin)
      const pass = async <T>(
        points: readonly Testing.StorePoint[],
        operation: Testing.StoreOperation,
        call: () => Promise<T>,
      ): Promise<T> => {
        if (newest.get(id) !== mine)
          problems.push(`a store was used after the next was made: ${operation.kind}`)
        for (const point of points) if (point !== 'after_commit') await given?.(point, operation)
        const made = await call()
        if (points.includes('after_commit')) await given?.('after_commit', operation)
        return made
      }
      const look = ['before'] as const
      const write = ['before', 'before_commit', 'after_commit'] as const
      return {
        read: (tenant, reads) =>
          pass(look, { kind: 'read', tenant, reads }, () => twin.read(tenant, reads)),
        commit: (set) => pass(write, { kind: 'commit', set }, () => twin.commit(set)),
        lanes: (query) => pass(look, { kind: 'lanes', query }, () => twin.lanes(query)),
        nextDue: (query) => pass(look, { kind: 'nextDue', query }, () => twin.nextDue(query)),
        claim: (query) => pass(write, { kind: 'claim', query }, () => twin.claim(query)),
        scrub: () => pass(write, { kind: 'scrub' }, () => twin.scrub()),
        close: () => memory.close(),
        rows: memory.rows,
        counters: memory.counters,
        entries: memory.entries,
        reopen: (next) => open(memory.reopen(), next),
      }
    }
    return open(create(declared), faults)
  }
}

/** Promises settle, the store is waited for, and what it answered may lead to more. */
const waiting =
  (settle: () => Promise<void>): (() => Promise<void>) =>
  async () => {
    await settle()
    while (twins.some((twin) => twin.settled() !== null)) {
      await settled()
      await settle()
    }
  }

async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 256; turn++) await undefined
}

wrapModules({
  'testing/memory-store': {
    createMemoryStore: (original: typeof Testing) => beside(original.createMemoryStore),
  },
  'testing/manual-clock': {
    createManualClock:
      (original: typeof Testing): typeof Testing.createManualClock =>
      (...[start, options]: Parameters<typeof Testing.createManualClock>) =>
        original.createManualClock(start, {
          settle: waiting(options?.settle ?? settleMicrotasks),
        }),
  },
} as unknown as Parameters<typeof wrapModules>[0])

after(async () => {
  await settled()
  await closeStores()
  assert.deepEqual(
    twins.flatMap(({ differences }) => differences),
    [],
  )
  assert.deepEqual(problems, [])
  const calls = twins.reduce((sum, twin) => sum + twin.calls, 0)
  console.log(`calls of PostgreSQL: ${calls}`)
})
