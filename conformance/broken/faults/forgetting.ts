import { commit } from '../disk.ts'
import type { Surroundings } from '../steps.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf } from './fault.ts'
import { trusting } from './identity.ts'

const fault = faultsOf('forgetting')

/** Knows ids by a memory of its own; what it forgot is new again. */
const remembering = (
  name: string,
  killedBy: string,
  makeMemory: () => (id: string, around: Surroundings, body: Uint8Array) => boolean,
): BrokenReceiver =>
  fault(name, killedBy, () => {
    const isKnown = makeMemory()
    return {
      store: (id, body, around) =>
        commit(around, () => {
          const isNew = !isKnown(id, around, body)
          around.disk.events.set(id, body)
          return isNew
        }),
      newer: trusting,
    }
  })

/** The ids that came last; a hit does not move an id to the front. */
function lastOf(most: number) {
  const ids = new Set<string>()
  return (id: string): boolean => {
    if (ids.has(id)) return true
    ids.add(id)
    const [oldest] = ids
    if (ids.size > most && oldest !== undefined) ids.delete(oldest)
    return false
  }
}

/** Ids for so long. */
function forMs(ms: number) {
  const until = new Map<string, number>()
  return (id: string, { now }: Surroundings): boolean => {
    const known = (until.get(id) ?? 0) > now()
    if (!known) until.set(id, now() + ms)
    return known
  }
}

/** All ids, until there are so many and all are dropped. */
function clearedAt(most: number) {
  const ids = new Set<string>()
  return (id: string): boolean => {
    if (ids.has(id)) return true
    if (ids.size >= most) ids.clear()
    ids.add(id)
    return false
  }
}

/** Ids of what passes the test; anything else is new each time. */
function ofBodies(test: RegExp) {
  const ids = new Set<string>()
  return (id: string, _: Surroundings, body: Uint8Array): boolean => {
    if (ids.has(id)) return true
    if (test.test(soundSteps.parse(body)?.type ?? '')) ids.add(id)
    return false
  }
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const afterMany = 'idempotency.after-many'
const afterThousand = 'idempotency.after-thousand'

export const forgetters: readonly BrokenReceiver[] = [
  ...[5, 10, 25, 50, 100].map((most) =>
    remembering(`remembers the last ${most} ids`, afterMany, () => lastOf(most)),
  ),
  ...[200, 256, 500, 1_000, 1_024].map((most) =>
    remembering(`remembers the last ${most} ids`, afterThousand, () => lastOf(most)),
  ),
  ...[20, 100].map((most) =>
    remembering(`forgets all ids at ${most}`, afterMany, () => clearedAt(most)),
  ),
  remembering('forgets all ids at 1000', afterThousand, () => clearedAt(1_000)),
  ...[1, 2].map((count) =>
    remembering(`remembers ids for ${count} s`, 'idempotency.later', () => forMs(count * second)),
  ),
  ...[
    ['20 s', 20 * second],
    ['a minute', minute],
    ['five minutes', 5 * minute],
    ['ten minutes', 10 * minute],
    ['an hour', hour],
    ['a day', 24 * hour],
    ['two days', 48 * hour],
  ].map(([name, ms]) =>
    remembering(`remembers ids for ${name}`, 'idempotency.after-days', () => forMs(Number(ms))),
  ),
  ...(
    [
      ['review events', /^review\./],
      ['cases', /^review\.case\./],
      [
        'types that it knows',
        /^(review\.(case|continuation)\.(?!paused)|subscription\.(?!resumed))/,
      ],
      ['decisions', /decided$/],
    ] as const
  ).map(([name, test]) =>
    remembering(`remembers ids of ${name} alone`, 'idempotency.every-type', () => ofBodies(test)),
  ),
]
