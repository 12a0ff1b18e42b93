import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFairRing, type FairRing } from '../../outbox/fair-ring.ts'
import { createFifo, type Fifo } from '../../outbox/fifo.ts'
import { killsMutants } from './mutants.ts'

interface Item {
  readonly group: string
  readonly id: number
}
const items: readonly Item[] = ['a', 'b', 'c'].flatMap((group) =>
  [0, 1, 2, 3].map((id) => ({ group, id })),
)
const any = () => true
const isEven = ({ id }: Item) => id % 2 === 0
type CreateRing = (groupOf: (item: Item) => string) => FairRing<Item>

const ringSteps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('add' as const), item: fc.constantFrom(...items) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('delete' as const),
        item: fc.constantFrom(...items),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('takeOf' as const),
        group: fc.constantFrom('a', 'b', 'c'),
      }),
    },
  ),
  { maxLength: 80, size: 'max' },
)

test('a fair ring serves every waiting group within one rotation, each first come, first served', () => {
  const property = (create: CreateRing) =>
    fc.assert(
      fc.property(ringSteps, (steps) => {
        const ring = create(({ group }) => group)
        const queues = new Map<string, Item[]>()
        // How often others were served since this group began to wait or was served itself.
        const passed = new Map<string, number>()
        for (const step of steps) {
          if (step.kind === 'add') {
            ring.add(step.item)
            const queue = queues.get(step.item.group) ?? []
            if (queue.length === 0) passed.set(step.item.group, 0)
            if (!queue.includes(step.item)) queues.set(step.item.group, [...queue, step.item])
          } else if (step.kind === 'delete') {
            ring.delete(step.item)
            const queue = queues.get(step.item.group) ?? []
            queues.set(
              step.item.group,
              queue.filter((item) => item !== step.item),
            )
          } else if (step.kind === 'takeOf') {
            const queue = queues.get(step.group) ?? []
            const first = queue.find(isEven)
            assert.equal(ring.takeOf(step.group, isEven), first)
            queues.set(
              step.group,
              queue.filter((item) => item !== first),
            )
          } else {
            const taken = ring.take()
            const waiting = [...queues].filter(([, queue]) => queue.length > 0)
            assert.equal(taken === undefined, waiting.length === 0)
            if (!taken) continue
            const queue = queues.get(taken.group) ?? []
            assert.equal(taken, queue[0], 'first come, first served')
            queues.set(taken.group, queue.slice(1))
            for (const [group] of waiting)
              passed.set(group, group === taken.group ? 0 : (passed.get(group) ?? 0) + 1)
            for (const [group] of waiting)
              assert.ok((passed.get(group) ?? 0) < 3, 'each group within one rotation')
          }
          const size = [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
          assert.equal(ring.size, size)
        }
      }),
      { numRuns: 2_000 },
    )
  killsMutants<CreateRing>(property, createFairRing, {
    'no groups': () => createFairRing(() => 'all'),
    'last come, first served': (groupOf) => {
      const ring = createFairRing(groupOf)
      return {
        get size() {
          return ring.size
        },
        delete: ring.delete,
        take: ring.take,
        takeOf: ring.takeOf,
        add(item) {
          ring.delete(item)
          ring.add(item)
        },
      }
    },
    'a group of which one was taken apart loses its turn': (groupOf) => {
      const ring = createFairRing(groupOf)
      const drained = (group: string) => {
        const rest: Item[] = []
        for (let item = ring.takeOf(group, any); item; item = ring.takeOf(group, any))
          rest.push(item)
        return rest
      }
      return {
        get size() {
          return ring.size
        },
        add: ring.add,
        delete: ring.delete,
        take: ring.take,
        takeOf(group, accepts) {
          const rest = drained(group)
          const found = rest.find(accepts)
          for (const item of rest) if (item !== found) ring.add(item)
          return found
        },
      }
    },
  })
})

test('a fifo is an array that shifts cheaply', () => {
  const steps = fc.array(fc.constantFrom('push', 'shift', 'unshift'), { maxLength: 100 })
  const property = (create: <T>() => Fifo<T>) =>
    fc.assert(
      fc.property(steps, (steps) => {
        const fifo = create<number>()
        const model: number[] = []
        for (const [at, step] of steps.entries()) {
          if (step === 'shift') assert.equal(fifo.shift(), model.shift())
          else {
            fifo[step as 'push' | 'unshift'](at)
            model[step as 'push' | 'unshift'](at)
          }
          assert.equal(fifo.length, model.length)
          assert.equal(fifo.first, model[0])
        }
      }),
      { numRuns: 2_000 },
    )
  killsMutants(property, createFifo, {
    'back to the end': () => {
      const fifo = createFifo<never>()
      return Object.defineProperties(
        { ...fifo, unshift: fifo.push },
        {
          length: { get: () => fifo.length },
          first: { get: () => fifo.first },
        },
      ) as never
    },
  })
})
