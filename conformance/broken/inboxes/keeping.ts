import type { InboxEntry, InboxTurn } from '@countersign/core/ports'
import { type BrokenInbox, faults } from './broken-inbox.ts'
import type { Change } from './host.ts'

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Changes each entry before it is kept. */
const keeping =
  (change: (entry: InboxEntry) => InboxEntry): Change =>
  (inbox) => ({ store: (entry) => inbox.store(change(entry)) })

/** Changes each turn that is handed out. */
export const handing =
  (change: (turn: InboxTurn) => InboxTurn): Change =>
  (inbox) => ({ take: async (query) => (await inbox.take(query)).map(change) })

const copies = 'of 50 calls at once with one id exactly one is told stored'
const first = 'the first body of an id stays, another one is told'
const alike = 'ids and cases that differ somewhere are different'
const hundreds = 'hundreds of entries are each kept once, however long ago'
const topics = 'each topic hands out its own entries, in the order of their turns'

/** Takes ids that are one under `of` for one. */
const folding =
  (of: (id: string) => string): Change =>
  (inbox) => {
    const seen = new Map<string, string>()
    return {
      store: async (entry) => {
        const before = seen.get(of(entry.id))
        seen.set(of(entry.id), before ?? entry.id)
        return before !== undefined && before !== entry.id
          ? { kind: 'duplicate', sameBody: false }
          : inbox.store(entry)
      },
    }
  }

const identity = faults('identity', [
  [
    'looks for an id, then stores it',
    copies,
    (inbox) => ({
      store: async (entry) => {
        const [known] = await inbox.has([entry.id])
        await pause()
        await inbox.store(entry)
        return known ? { kind: 'duplicate', sameBody: true } : { kind: 'stored' }
      },
    }),
  ],
  [
    'tells stored for a copy that is not handled',
    copies,
    (inbox) => ({
      store: async (entry) => {
        await inbox.store(entry)
        return { kind: 'stored' }
      },
    }),
  ],
  [
    'calls every copy the same',
    first,
    (inbox) => ({
      store: async (entry) => {
        const told = await inbox.store(entry)
        return told.kind === 'stored' ? told : { kind: 'duplicate', sameBody: true }
      },
    }),
  ],
  [
    'calls every copy another one',
    copies,
    (inbox) => ({
      store: async (entry) => {
        const told = await inbox.store(entry)
        return told.kind === 'stored' ? told : { kind: 'duplicate', sameBody: false }
      },
    }),
  ],
  [
    'compares the lengths of bodies',
    first,
    (inbox) => {
      const lengths = new Map<string, number>()
      return {
        store: async (entry) => {
          const told = await inbox.store(entry)
          const length = lengths.get(entry.id) ?? entry.body.length
          lengths.set(entry.id, length)
          return told.kind === 'stored'
            ? told
            : { kind: 'duplicate', sameBody: length === entry.body.length }
        },
      }
    },
  ],
  [
    'keeps the last body of an id',
    first,
    (inbox, kept) => {
      const bodies = new Map<string, Uint8Array>()
      return {
        store: (entry) => {
          bodies.set(entry.id, entry.body.slice())
          return inbox.store(entry)
        },
        ...handing((turn) => ({
          ...turn,
          entry: { ...turn.entry, body: bodies.get(turn.entry.id) ?? turn.entry.body },
        }))(inbox, kept),
      }
    },
  ],
  ['compares ids without case', alike, folding((id) => id.toLowerCase())],
  ['compares ids without blanks', alike, folding((id) => id.trim())],
  ['compares ids by their NFC form', alike, folding((id) => id.normalize('NFC'))],
  ['compares ids as numbers', alike, folding((id) => (/^\d+$/.test(id) ? String(Number(id)) : id))],
  ...[64, 255].map(
    (most) =>
      [`compares ${most} characters of an id`, alike, folding((id) => id.slice(0, most))] as const,
  ),
  [
    'keeps an id for each topic',
    topics,
    (inbox) => {
      const seen = new Set<string>()
      return {
        store: async (entry) => {
          const told = await inbox.store(entry)
          const name = `${entry.topic} ${entry.id}`
          const known = seen.has(name)
          seen.add(name)
          return known ? told : { kind: 'stored' }
        },
      }
    },
  ],
])

const forgetting = faults('forgetting', [
  ...[50, 100, 256].map(
    (most) =>
      [
        `knows the last ${most} ids`,
        hundreds,
        ((inbox) => {
          let last: string[] = []
          return {
            store: async (entry) => {
              const told = await inbox.store(entry)
              const known = last.includes(entry.id)
              last = [...last.filter((id) => id !== entry.id), entry.id].slice(-most)
              return known ? told : { kind: 'stored' }
            },
          }
        }) as Change,
      ] as const,
  ),
  [
    'forgets ids that are handled',
    hundreds,
    (inbox) => {
      const gone = new Set<string>()
      return {
        handled: (turn, at) => {
          gone.add(turn.id)
          return inbox.handled(turn, at)
        },
        store: async (entry) => (gone.has(entry.id) ? { kind: 'stored' } : inbox.store(entry)),
      }
    },
  ],
  ...[50, 100, 256].flatMap(
    (most) =>
      [
        [
          `answers for ${most} ids`,
          hundreds,
          ((inbox) => ({
            has: async (ids) => {
              const found = await inbox.has(ids.slice(0, most))
              return ids.map((_, one) => found[one] ?? false)
            },
          })) as Change,
        ],
        [
          `keeps the heads of ${most} cases`,
          hundreds,
          ((inbox) => {
            const known: string[] = []
            return {
              store: (entry) => {
                if (entry.position) known.push(entry.position.reviewCaseId)
                return inbox.store(entry)
              },
              head: async (id) => (known.slice(-most).includes(id) ? inbox.head(id) : null),
            }
          }) as Change,
        ],
        [
          `hands out ${most} entries at most`,
          hundreds,
          ((inbox) => ({
            take: (query) => inbox.take({ ...query, limit: Math.min(most, query.limit) }),
          })) as Change,
        ],
      ] as const,
  ),
  ...[16, 100].map(
    (most) =>
      [
        `moves ${most} holds of a call`,
        hundreds,
        ((inbox) => ({
          hold: (turns, until) => inbox.hold(turns.slice(0, most), until),
        })) as Change,
      ] as const,
  ),
  [
    'tells has in the order of the ids',
    hundreds,
    (inbox) => ({ has: (ids) => inbox.has([...ids].sort()) }),
  ],
])

const exact = 'bytes are kept exactly, invalid UTF-8 and none at all included'
const bytes = faults('bytes', [
  [
    'keeps bodies as text',
    exact,
    keeping((entry) => ({
      ...entry,
      body: new TextEncoder().encode(new TextDecoder().decode(entry.body)),
    })),
  ],
  [
    'hands out a Buffer',
    exact,
    handing((turn) => ({ ...turn, entry: { ...turn.entry, body: Buffer.from(turn.entry.body) } })),
  ],
  ...[65_536, 2 ** 20].map(
    (most) =>
      [
        `cuts bodies at ${most}`,
        topics,
        keeping((entry) => ({ ...entry, body: entry.body.slice(0, most) })),
      ] as const,
  ),
  [
    'keeps the caller’s buffer',
    'a buffer that the caller uses again changes nothing',
    (inbox) => ({
      store: async (entry) => {
        await pause()
        return inbox.store(entry)
      },
    }),
  ],
  [
    'takes no type for an empty one',
    topics,
    handing((turn) => ({ ...turn, entry: { ...turn.entry, type: turn.entry.type ?? '' } })),
  ],
  [
    'tells the time of the turn for that of the receipt',
    topics,
    (inbox) => ({
      take: async (query) =>
        (await inbox.take(query)).map((turn) => ({
          ...turn,
          entry: { ...turn.entry, receivedAt: query.now },
        })),
    }),
  ],
])

export const keepingFaults: readonly BrokenInbox[] = [...identity, ...forgetting, ...bytes]
