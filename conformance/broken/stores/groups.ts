import type { ChangeSet, CommitOutcome, Store } from '@countersign/core/ports'
import { keyOf } from '@countersign/core/store-kit'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { collectionOf, committing, cutting, oneByOne } from './wrap.ts'

const winner = 'of 30 writers that saw the same version one wins, round after round'
const checked = 'each of 300 checks of a set is judged'
const judged = 'each of 300 puts and removes of a set is judged'
const whole = 'a set with 300 of each kind is written whole'
const crowd = 'of 300 writers at once each is told its own outcome'
const alone = 'a malformed set among many fails alone'
const inside = 'a set that fails inside the commit fails alone'
interface Waiting {
  readonly set: ChangeSet
  readonly told: (outcome: CommitOutcome) => void
  readonly failed: (error: unknown) => void
}

/** Commits the sets that wait in groups, each of which is committed by `run`. */
const grouping =
  (run: (store: Store, group: readonly Waiting[]) => Promise<void>): Change =>
  (store) => {
    let waiting: Waiting[] = []
    const inTurn = oneByOne()
    const flush = () => {
      const group = waiting
      waiting = []
      return run(store, group)
    }
    return {
      commit: (set) =>
        new Promise((told, failed) => {
          waiting.push({ set, told, failed })
          if (waiting.length === 1) void inTurn(flush)
        }),
    }
  }

const inOrder = async (store: Store, group: readonly Waiting[]) => {
  for (const { set, told, failed } of group) await store.commit(set).then(told, failed)
}

export const groupFaults: readonly BrokenStore[] = faults('group commit', [
  [
    'fails every set of a group for one',
    alone,
    grouping(async (store, group) => {
      const settled = await Promise.allSettled(group.map(({ set }) => store.commit(set)))
      const broken = settled.find(({ status }) => status === 'rejected')
      for (const [at, { told, failed }] of group.entries()) {
        const one = settled[at]
        if (broken?.status === 'rejected') failed(broken.reason)
        else if (one?.status === 'fulfilled') told(one.value)
      }
    }),
  ],
  [
    'fails the sets behind the one that failed in the commit',
    inside,
    grouping(async (store, group) => {
      let error: unknown
      for (const { set, told, failed } of group) {
        if (error === undefined)
          await store.commit(set).then(told, (reason: unknown) => {
            error = reason
            failed(reason)
          })
        else failed(error)
      }
    }),
  ],
  [
    'tells a set of a group that failed that it was committed',
    inside,
    (store) => ({
      commit: (set) => store.commit(set).catch(() => ({ committed: true, ranges: [] })),
    }),
  ],
  [
    'tells every set of a group the outcome of the first',
    crowd,
    grouping(async (store, group) => {
      let first: CommitOutcome | undefined
      for (const { set, told, failed } of group)
        await store.commit(set).then((outcome) => {
          first ??= outcome
          told(first)
        }, failed)
    }),
  ],
  ...[16, 64, 128, 256].map(
    (most) =>
      [
        `writes ${most} sets of a group and tells all committed`,
        crowd,
        grouping(async (store, group) => {
          await inOrder(store, group.slice(0, most))
          for (const { told } of group.slice(most)) told({ committed: true, ranges: [] })
        }),
      ] as const,
  ),
  [
    'writes every set number 100 twice',
    crowd,
    (store) => {
      let count = 0
      return {
        commit: async (set) => {
          count += 1
          if (count % 100 === 0 && set.adds)
            await store.commit({ tenant: set.tenant, adds: set.adds })
          return store.commit(set)
        },
      }
    },
  ],
  [
    'judges a group by the versions before it',
    winner,
    grouping(async (store, group) => {
      const before = await Promise.all(
        group.map(({ set }) =>
          store.read(
            null,
            (set.puts ?? []).map((put) => ({
              get: put.in,
              key: keyOf(collectionOf(put.in), put.row),
            })),
          ),
        ),
      )
      for (const [at, { set, told, failed }] of group.entries()) {
        const fits = (set.puts ?? []).every(
          (put, one) => (before[at]?.[one]?.rows[0]?.version ?? 0) === (put.was?.version ?? 0),
        )
        const puts = await Promise.all(
          (set.puts ?? []).map(async (put) => {
            const key = keyOf(collectionOf(put.in), put.row)
            const [now] = await store.read(null, [{ get: put.in, key }])
            return { ...put, was: now?.rows[0] ?? null }
          }),
        )
        await store.commit(fits ? { ...set, puts } : set).then(told, failed)
      }
    }),
  ],
])

const counts = [8, 64, 100, 255]

export const sizeFaults: readonly BrokenStore[] = faults('sizes', [
  ...counts.flatMap(
    (most) =>
      [
        [`drops checks beyond ${most}`, checked, cutting('checks', most)],
        [`drops puts beyond ${most}`, whole, cutting('puts', most)],
        [`drops removes beyond ${most}`, whole, cutting('removes', most)],
        [`drops counters beyond ${most}`, whole, cutting('adds', most)],
        [`drops appends beyond ${most}`, whole, cutting('appends', most)],
      ] as const,
  ),
  ...[4, 16, 64].map(
    (most) =>
      [
        `does ${most} ranges of a set`,
        whole,
        ((store) => ({
          commit: async (set) => {
            const outcome = await store.commit({ ...set, ranges: set.ranges?.slice(0, most) ?? [] })
            const missing = (set.ranges?.length ?? 0) - most
            return outcome.committed && missing > 0
              ? {
                  ...outcome,
                  ranges: [
                    ...outcome.ranges,
                    ...Array.from({ length: missing }, () => ({ removed: 0, next: null })),
                  ],
                }
              : outcome
          },
        })) as Change,
      ] as const,
  ),
  [
    'judges the first 64 puts alone',
    judged,
    committing(async (set, store) => {
      const puts = await Promise.all(
        (set.puts ?? []).map(async (put, at) => {
          if (at < 64) return put
          const key = keyOf(collectionOf(put.in), put.row)
          const [now] = await store.read(null, [{ get: put.in, key }])
          return { ...put, was: now?.rows[0] ?? null }
        }),
      )
      return { ...set, puts }
    }),
  ],
  ...[16, 100].map(
    (most) =>
      [
        `answers ${most} reads of a call`,
        'each of 300 reads of a call is answered, in its place',
        ((store) => ({
          read: async (tenant, reads) => {
            const found = await store.read(tenant, reads.slice(0, most))
            return reads.map((_, at) => found[at] ?? { rows: [], total: null })
          },
        })) as Change,
      ] as const,
  ),
  [
    'answers the lists of a call behind its other reads',
    'each of 300 reads of a call is answered, in its place',
    (store) => ({
      read: (tenant, reads) =>
        store.read(tenant, [
          ...reads.filter((read) => !('list' in read)),
          ...reads.filter((read) => 'list' in read),
        ]),
    }),
  ],
])
