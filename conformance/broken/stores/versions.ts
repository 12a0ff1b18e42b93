import type { CommitOutcome, Conflict, Put } from '@countersign/core/ports'
import { keyOf } from '@countersign/core/store-kit'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { collectionOf, committing, cutting, pause, telling } from './wrap.ts'

const atOnce = 'a set with one moved version writes nothing of itself'
const allTold = 'every moved version of a set is told, with the version that is there'
const winner = 'of 30 writers that saw the same version one wins, round after round'
const facts = 'two facts that check each other can not both move'
const fence = 'a lease that ends lets the next claim in, and fences the first owner out'
const risen = 'versions rise by one with each write and each claim'
const checked = 'each of 300 checks of a set is judged'
const many = 'a row that was written 300 times has version 300'

/** Commits a part of each set on its own, before the rest. */
const apart =
  (part: 'puts' | 'removes' | 'ranges' | 'adds' | 'appends'): Change =>
  (store) => ({
    commit: async (set) => {
      const { [part]: first, ...rest } = set
      if (first?.length) {
        const outcome = await store.commit({ tenant: set.tenant, [part]: first })
        if (!outcome.committed) return outcome
      }
      return store.commit(rest)
    },
  })

export const atomicityFaults: readonly BrokenStore[] = faults('atomicity', [
  ...(['removes', 'ranges', 'adds', 'appends'] as const).map(
    (part) => [`commits the ${part} of a set before the rest`, atOnce, apart(part)] as const,
  ),
  [
    'writes each put on its own',
    atOnce,
    (store) => ({
      commit: async (set) => {
        const { puts = [], ...rest } = set
        for (const put of puts) {
          const outcome = await store.commit({ tenant: set.tenant, puts: [put] })
          if (!outcome.committed) return outcome
        }
        return store.commit(rest)
      },
    }),
  ],
  [
    'counts what it refuses',
    'counters add up whatever the order, and a refused set adds nothing',
    (store) => ({
      commit: async ({ adds, ...set }) => {
        if (adds) await store.commit({ tenant: set.tenant, adds })
        return store.commit(set)
      },
    }),
  ],
  [
    'puts before it removes',
    'a value is free once its row lets go of it, and not before',
    (store) => ({
      commit: async ({ removes = [], ...set }) => {
        const outcome = await store.commit({
          ...set,
          checks: [...(set.checks ?? []), ...removes],
        })
        if (outcome.committed) await store.commit({ tenant: set.tenant, removes })
        return outcome
      },
    }),
  ],
])

/** Looks the versions up first, and writes over whatever is there a moment later. */
const lookingFirst =
  (sees: (put: Put, now: number) => boolean): Change =>
  (store) => ({
    commit: async (set) => {
      const { puts = [] } = set
      const found = await store.read(
        null,
        puts.map((put) => ({ get: put.in, key: keyOf(collectionOf(put.in), put.row) })),
      )
      const moved = puts.some((put, at) => !sees(put, found[at]?.rows[0]?.version ?? 0))
      if (moved) return store.commit(set)
      await pause()
      const later = await store.read(
        null,
        puts.map((put) => ({ get: put.in, key: keyOf(collectionOf(put.in), put.row) })),
      )
      return store.commit({
        ...set,
        puts: puts.map((put, at) => ({ ...put, was: later[at]?.rows[0] ?? null })),
      })
    },
  })

export const versionFaults: readonly BrokenStore[] = faults('versions', [
  ['ignores checks', facts, cutting('checks', 0)],
  [
    'ignores checks that a row is absent',
    atOnce,
    committing((set) => ({
      ...set,
      checks: set.checks?.filter(({ version }) => version > 0) ?? [],
    })),
  ],
  [
    'checks that a row is there, whatever its version',
    checked,
    committing(async (set, store) => {
      const checks = await Promise.all(
        (set.checks ?? []).map(async (check) => {
          const [found] = await store.read(null, [{ get: check.in, key: check.key }])
          const version = found?.rows[0]?.version ?? 0
          return version > 0 && check.version > 0 ? { ...check, version } : check
        }),
      )
      return { ...set, checks }
    }),
  ],
  ['lets the last writer win', fence, lookingFirst(() => true)],
  [
    'compares versions, then writes a moment later',
    winner,
    lookingFirst((put, now) => now === (put.was?.version ?? 0)),
  ],
  [
    'takes a version that has been for the one that is',
    fence,
    lookingFirst((put, now) => put.was !== null && put.was.version <= now),
  ],
  [
    'keeps versions in a byte',
    many,
    committing(async (set, store) => ({
      ...set,
      checks: await Promise.all(
        (set.checks ?? []).map(async (check) => {
          const [found] = await store.read(null, [{ get: check.in, key: check.key }])
          const now = found?.rows[0]?.version ?? 0
          return check.version % 256 === now % 256 ? { ...check, version: now } : check
        }),
      ),
    })),
  ],
  ['tells versions of a byte', many, telling((told) => ({ ...told, version: told.version % 256 }))],
  [
    'does not raise the version with a claim',
    fence,
    (store) => ({
      claim: async (query) =>
        (await store.claim(query)).map((row) => ({ ...row, version: row.version - 1 })),
    }),
  ],
  ['forgets who holds a lease', risen, telling((told) => ({ ...told, leasedBy: null }))],
  [
    'keeps the owner of a lease that was settled',
    risen,
    (store, place) => {
      const owners = new Map<string, string | null>()
      return telling((told) => {
        const name = JSON.stringify([
          Reflect.get(Object(told.row), 'lane'),
          Reflect.get(Object(told.row), 'number'),
        ])
        const leasedBy = told.leasedBy ?? owners.get(name) ?? null
        owners.set(name, leasedBy)
        return { ...told, leasedBy }
      })(store, place)
    },
  ],
  [
    'tells one conflict of many',
    allTold,
    (store) => ({
      commit: async (set) => {
        const outcome = await store.commit(set)
        return outcome.committed ? outcome : { ...outcome, conflicts: [outcome.conflicts[0]] }
      },
    }),
  ],
  ...[8, 64, 100].map(
    (most) =>
      [
        `tells ${most} conflicts at most`,
        checked,
        ((store) => ({
          commit: async (set) => cutConflicts(await store.commit(set), most),
        })) as Change,
      ] as const,
  ),
  [
    'tells versions in the way that were seen, not those that are',
    allTold,
    (store) => ({
      commit: async (set) => {
        const outcome = await store.commit(set)
        if (outcome.committed) return outcome
        const [first, ...rest] = outcome.conflicts.map(
          (one): Conflict => (one.kind === 'version' ? { ...one, now: one.now + 1 } : one),
        )
        return first ? { committed: false, conflicts: [first, ...rest] } : outcome
      },
    }),
  ],
])

function cutConflicts(outcome: CommitOutcome, most: number): CommitOutcome {
  if (outcome.committed) return outcome
  const [first, ...rest] = outcome.conflicts
  return { committed: false, conflicts: [first, ...rest.slice(0, most - 1)] }
}
