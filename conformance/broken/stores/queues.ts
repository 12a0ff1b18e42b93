import type { Lane, Store, Versioned } from '@countersign/core/ports'
import { type BrokenStore, faults } from './broken-store.ts'
import type { Change } from './host.ts'
import { committing, pause } from './wrap.ts'

type Claim = Parameters<Store['claim']>[0]
type Scan = Parameters<Store['lanes']>[0]

const claiming =
  (change: (query: Claim) => Claim): Change =>
  (store) => ({ claim: (query) => store.claim(change(query)) })
const claimed =
  (change: (rows: readonly Versioned[], query: Claim) => readonly Versioned[]): Change =>
  (store) => ({ claim: async (query) => change(await store.claim(query), query) })
const scanning =
  (change: (query: Scan) => Scan): Change =>
  (store) => ({ lanes: (query) => store.lanes(change(query)) })
const scanned =
  (change: (lanes: readonly Lane[], query: Scan) => readonly Lane[]): Change =>
  (store) => ({ lanes: async (query) => change(await store.lanes(query), query) })

const owners = '40 claims at once give each row to one owner'
const due = 'rows come in order of due, and none before its time'
const fence = 'a lease that ends lets the next claim in, and fences the first owner out'
const lanes = 'lanes come in their order behind a cursor, each with its first row'
const hundreds = 'a claim serves 300 lanes, and hundreds of rows of one'
const steps = 'claims, settles and clocks of one lane go as the model says'

export const queueFaults: readonly BrokenStore[] = faults('queues', [
  ...[16, 64, 100, 256].flatMap(
    (most) =>
      [
        [
          `serves ${most} lanes of a claim`,
          hundreds,
          claiming((query) => ({ ...query, asks: query.asks.slice(0, most) })),
        ],
        [
          `claims ${most} rows of a lane at most`,
          hundreds,
          claiming((query) => ({
            ...query,
            asks: query.asks.map(({ lane, take }) => ({ lane, take: Math.min(take, most) })),
          })),
        ],
        [
          `tells ${most} lanes at most`,
          hundreds,
          scanning((query) => ({ ...query, take: Math.min(most, query.take) })),
        ],
      ] as const,
  ),
  [
    'cuts lanes at 50',
    hundreds,
    scanning((query) => ({ ...query, take: Math.min(50, query.take) })),
  ],
  ['claims what is not due', due, claiming((query) => ({ ...query, now: query.leaseUntil - 1 }))],
  [
    'claims what is due at the next millisecond',
    steps,
    claiming((query) => ({ ...query, now: Math.min(query.now + 1, query.leaseUntil - 1) })),
  ],
  [
    'claims a millisecond late',
    steps,
    claiming((query) => ({ ...query, now: Math.max(0, query.now - 1) })),
  ],
  [
    'leases for ever',
    'versions rise by one with each write and each claim',
    claiming((query) => ({ ...query, leaseUntil: query.leaseUntil * 2 })),
  ],
  [
    'leases a millisecond too long',
    steps,
    claiming((query) => ({ ...query, leaseUntil: query.leaseUntil + 1 })),
  ],
  ['claims the same row for two', owners, claimed((rows) => [...rows, ...rows])],
  [
    'looks for due rows, then leases them',
    owners,
    (store) => {
      const found = new Map<string, Promise<readonly Versioned[]>>()
      return {
        claim: async (query) => {
          const name = JSON.stringify(query.asks)
          const before = found.get(name)
          if (before) return before
          const mine = store.claim(query)
          found.set(name, mine)
          await pause()
          found.delete(name)
          return mine
        },
      }
    },
  ],
  [
    'tells rows as they were before the claim',
    steps,
    claimed((rows, { now }) =>
      rows.map((told) => ({ ...told, row: { ...(told.row as object), due: now } })),
    ),
  ],
  [
    'tells rows in the order of their keys',
    due,
    claimed((rows) => [...rows].sort((a, b) => numberOf(a) - numberOf(b))),
  ],
  [
    'does not count claims',
    steps,
    claimed((rows) =>
      rows.map((told) => ({ ...told, row: { ...(told.row as object), claims: 0 } })),
    ),
  ],
  [
    'tells another owner',
    steps,
    claimed((rows) => rows.map((told) => ({ ...told, leasedBy: 'somebody' }))),
  ],
  [
    'gives a lease back when it ends',
    fence,
    (store) => ({
      commit: async (set) => {
        const puts = await Promise.all(
          (set.puts ?? []).map(async (put) => {
            if (put.in !== 'jobs' || !put.was) return put
            const row = put.row as { readonly lane: string; readonly number: number }
            const [found] = await store.read(null, [{ get: 'jobs', key: [row.lane, row.number] }])
            return { ...put, was: found?.rows[0] ?? put.was }
          }),
        )
        return store.commit({ ...set, puts })
      },
    }),
  ],
  [
    'takes claims for a lane in any case',
    steps,
    (store) => ({
      claim: async (query) => {
        const both = query.asks.flatMap(({ lane, take }) => [
          { lane, take },
          { lane: lane.toUpperCase(), take },
        ])
        return store.claim({ ...query, asks: both })
      },
    }),
  ],
  [
    'shows lanes before they are due',
    lanes,
    scanning((query) => ({ ...query, now: query.now + 1 })),
  ],
  [
    'begins a page of lanes at the cursor',
    lanes,
    scanning((query) => ({ ...query, after: query.after.slice(0, -1) })),
  ],
  [
    'orders lanes by UTF-16 units',
    lanes,
    (store) => ({
      lanes: async (query) =>
        (await store.lanes({ ...query, after: '', take: 100_000 }))
          .filter(({ lane }) => lane > query.after)
          .sort((a, b) => (a.lane < b.lane ? -1 : 1))
          .slice(0, query.take),
    }),
  ],
  [
    'tells no tenant of a lane',
    lanes,
    scanned((found) => found.map((one) => ({ ...one, tenant: null }))),
  ],
  [
    'tells now for the due time of a lane',
    lanes,
    scanned((found, { now }) => found.map((one) => ({ ...one, due: now }))),
  ],
  [
    'loses the last lane of a page',
    hundreds,
    scanned((found, { take }) =>
      found.length > 1 && found.length < take ? found.slice(0, -1) : found,
    ),
  ],
  [
    'forgets leases for the next due time',
    owners,
    (store) => ({
      nextDue: async (query) => {
        const at = await store.nextDue(query)
        const found =
          at === null ? [] : await store.lanes({ ...query, now: 150, after: '', take: 1 })
        return found.length ? at : null
      },
    }),
  ],
  [
    'tells 0 where nothing waits',
    steps,
    (store) => ({ nextDue: async (query) => (await store.nextDue(query)) ?? 0 }),
  ],
  [
    'finds a null due time due',
    due,
    committing((set) => ({
      ...set,
      puts: (set.puts ?? []).map((put) =>
        put.in === 'jobs' && !put.was
          ? { ...put, row: { ...put.row, due: Reflect.get(put.row, 'due') ?? 0 } }
          : put,
      ),
    })),
  ],
])

function numberOf({ row }: Versioned): number {
  return (row as { readonly number: number }).number
}
