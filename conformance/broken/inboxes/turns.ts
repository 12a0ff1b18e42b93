import type { Inbox, TurnKey } from '@countersign/core/ports'
import { type BrokenInbox, faults } from './broken-inbox.ts'
import type { Change } from './host.ts'

type Query = Parameters<Inbox['take']>[0]

const taking =
  (change: (query: Query) => Query): Change =>
  (inbox) => ({ take: (query) => inbox.take(change(query)) })
const ending =
  (settle: (inbox: Inbox, turn: TurnKey, at: number) => ReturnType<Inbox['handled']>): Change =>
  (inbox) => ({ handled: (turn, at) => settle(inbox, turn, at) })

const oneCase = 'entries of one case are handed out one at a time'
const again = 'an entry whose hold ends comes again, and its attempts count'
const limit = 'it hands out no more than the limit'
const takers = 'many takers at once hand out each entry once'
const topics = 'each topic hands out its own entries, in the order of their turns'
const retry = 'a failed entry waits for its retry, and its case goes on'
const once = 'a turn ends once'
const late = 'a turn that another followed ends nothing and moves no hold'
const exactly = 'a hold lasts until its end, to the millisecond'
const restart = 'what was acknowledged is there after a restart'

const turns = faults('turns', [
  [
    'hands out a case’s entries at once',
    oneCase,
    (inbox) => ({ store: (entry) => inbox.store({ ...entry, position: null }) }),
  ],
  ['takes one too many', limit, taking((query) => ({ ...query, limit: query.limit + 1 }))],
  [
    'hands out one entry a call',
    limit,
    taking((query) => ({ ...query, limit: Math.min(1, query.limit) })),
  ],
  [
    'hands out entries of the other topic',
    topics,
    (inbox) => ({
      take: async (query) => {
        const own = await inbox.take(query)
        const other = query.topic === 'event' ? 'outcome' : 'event'
        return own.length ? own : inbox.take({ ...query, topic: other })
      },
    }),
  ],
  ['hands out what is not due', topics, taking((query) => ({ ...query, now: query.now + 2 }))],
  ['hands out a millisecond late', again, taking((query) => ({ ...query, now: query.now - 1 }))],
  [
    'hands out by id, not by turn',
    topics,
    (inbox) => ({
      take: async (query) =>
        [...(await inbox.take(query))].sort((a, b) => (a.entry.id < b.entry.id ? -1 : 1)),
    }),
  ],
  [
    'hands out the newest first',
    topics,
    (inbox) => ({ take: async (query) => [...(await inbox.take(query))].reverse() }),
  ],
  [
    'counts no attempts',
    again,
    (inbox) => ({
      take: async (query) => (await inbox.take(query)).map((turn) => ({ ...turn, attempt: 1 })),
    }),
  ],
  [
    'looks for entries, then holds them',
    takers,
    (inbox) => {
      let found: ReturnType<Inbox['take']> | null = null
      return {
        take: async (query) => {
          if (found) return found
          found = inbox.take(query)
          const mine = found
          await Promise.resolve()
          found = null
          return mine
        },
      }
    },
  ],
  [
    'retries at once',
    retry,
    (inbox) => ({ failed: (turn, _, reason) => inbox.failed(turn, 0, reason) }),
  ],
  [
    'never retries',
    retry,
    (inbox) => ({ failed: (turn, at, reason) => inbox.failed(turn, at + 1e9, reason) }),
  ],
  [
    'drops what failed three times',
    retry,
    (inbox) => ({
      failed: (turn, at, reason) => inbox.failed(turn, turn.attempt >= 3 ? at + 1e9 : at, reason),
    }),
  ],
  [
    'keeps a case waiting for the retry of one entry',
    retry,
    (inbox) => ({
      failed: async (turn, at) => {
        await inbox.hold([turn], at)
        return 'settled'
      },
    }),
  ],
  ['hands out what is handled', again, () => ({ handled: async () => 'settled' })],
])

const holds = faults('holds', [
  ['holds nothing', oneCase, taking((query) => ({ ...query, holdUntil: query.now }))],
  ['holds for ever', exactly, taking((query) => ({ ...query, holdUntil: query.holdUntil + 1e9 }))],
  [
    'holds a millisecond too long',
    exactly,
    taking((query) => ({ ...query, holdUntil: query.holdUntil + 1 })),
  ],
  [
    'holds a millisecond too short',
    exactly,
    taking((query) => ({ ...query, holdUntil: query.holdUntil - 1 })),
  ],
  ['renews no hold', again, () => ({ hold: async () => {} })],
  [
    'renews the first hold of a call',
    'hundreds of entries are each kept once, however long ago',
    (inbox) => ({
      hold: (turns, until) => inbox.hold(turns.slice(0, 1), until),
    }),
  ],
  [
    'renews a hold by half',
    again,
    (inbox) => ({ hold: (turns, until) => inbox.hold(turns, until - 5) }),
  ],
])

/** Takes every call for one of the newest turn. */
function withoutFence(
  inbox: Inbox,
  change: (newest: (turn: TurnKey) => TurnKey) => Partial<Inbox>,
): Partial<Inbox> {
  const attempts = new Map<string, number>()
  return {
    take: async (query) => {
      const taken = await inbox.take(query)
      for (const { entry, attempt } of taken) attempts.set(entry.id, attempt)
      return taken
    },
    ...change(({ id, attempt }) => ({ id, attempt: attempts.get(id) ?? attempt })),
  }
}

const fencing = faults('fencing', [
  [
    'lets a late success end a newer turn',
    late,
    (inbox) =>
      withoutFence(inbox, (now) => ({ handled: (turn, at) => inbox.handled(now(turn), at) })),
  ],
  [
    'lets a late failure end a newer turn',
    late,
    (inbox) =>
      withoutFence(inbox, (now) => ({
        failed: (turn, at, reason) => inbox.failed(now(turn), at, reason),
      })),
  ],
  [
    'lets a late renewal move a newer hold',
    late,
    (inbox) =>
      withoutFence(inbox, (now) => ({ hold: (all, until) => inbox.hold(all.map(now), until) })),
  ],
  [
    'calls a late ending settled',
    late,
    ending(async (inbox, turn, at) => {
      await inbox.handled(turn, at)
      return 'settled'
    }),
  ],
  [
    'calls every ending stale',
    again,
    ending(async (inbox, turn, at) => {
      await inbox.handled(turn, at)
      return 'stale'
    }),
  ],
  [
    'lets a turn end twice',
    once,
    (inbox) => {
      const ended = new Set<string>()
      return {
        failed: (turn, at, reason) => {
          ended.add(`${turn.id} ${turn.attempt}`)
          return inbox.failed(turn, at, reason)
        },
        handled: async (turn, at) =>
          ended.has(`${turn.id} ${turn.attempt}`) ? 'settled' : await inbox.handled(turn, at),
      }
    },
  ],
  [
    'settles an entry that it does not have',
    once,
    ending(async (inbox, turn, at) => {
      const [known] = await inbox.has([turn.id])
      return known ? inbox.handled(turn, at) : 'settled'
    }),
  ],
])

const lasting = faults('lasting', [
  [
    'loses the last entry in a restart',
    restart,
    {
      survive: (writes) =>
        writes.filter((one) => one !== writes.findLast(({ kind }) => kind === 'store')),
    },
  ],
  ['loses heads in a restart', restart, { reopened: () => ({ head: async () => null }) }],
  [
    'loses the head before in a restart',
    restart,
    {
      reopened: (inbox) => ({
        take: async (query) =>
          (await inbox.take(query)).map((turn) => ({
            ...turn,
            caseHead: turn.caseHead && { ...turn.caseHead, previous: null },
          })),
      }),
    },
  ],
  [
    'loses its turns in a restart',
    restart,
    { survive: (writes) => writes.filter(({ kind }) => kind === 'store') },
  ],
  [
    'hands out again what was handled before a restart',
    restart,
    { survive: (writes) => writes.filter(({ kind }) => kind !== 'handled') },
  ],
  [
    'forgets ids in a restart',
    restart,
    { reopened: (inbox) => ({ has: async (ids) => (await inbox.has(ids)).map(() => false) }) },
  ],
  ['takes after close', 'once closed, it takes nothing', () => ({ close: async () => {} })],
])

export const turnFaults: readonly BrokenInbox[] = [...turns, ...holds, ...fencing, ...lasting]
