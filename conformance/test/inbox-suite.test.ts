import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inboxSuite } from '@countersign/conformance/inbox'
import type { CasePosition, Inbox, InboxEntry, TurnKey } from '@countersign/core/ports'
import { createInboxModel } from '../inbox/model.ts'
import { failuresOf } from './run-suite.ts'

/** The suite's own model behind promises, as the inbox that must pass. */
function modelInbox(): Inbox {
  const model = createInboxModel()
  let closed = false
  const open = () => {
    if (closed) throw new Error('closed')
  }
  return {
    store: async (entry) => {
      open()
      return model.store({ ...entry, body: entry.body.slice() })
    },
    head: async (id) => model.head(id),
    take: async (query) => model.take(query),
    hold: async (turns, until) => model.hold(turns, until),
    handled: async (turn) => model.handled(turn),
    failed: async (turn, at) => model.failed(turn, at),
    has: async (ids) => model.has(ids),
    close: async () => {
      closed = true
    },
  }
}

type Mutation = (inbox: Inbox) => Partial<Inbox>

const broken = (change: Mutation) => async (): Promise<Inbox> => {
  const inbox = modelInbox()
  return { ...inbox, ...change(inbox) }
}

const mutants: Record<string, Mutation> = {
  'checks, then inserts': (inbox) => {
    const seen = new Map<string, InboxEntry>()
    return {
      store: async (entry) => {
        const before = seen.get(entry.id)
        await Promise.resolve()
        if (before) return { kind: 'duplicate', sameBody: before.body.join() === entry.body.join() }
        seen.set(entry.id, entry)
        await inbox.store(entry)
        return { kind: 'stored' }
      },
    }
  },
  'calls every copy the same': (inbox) => ({
    store: async (entry) => {
      const told = await inbox.store(entry)
      return told.kind === 'stored' ? told : { kind: 'duplicate', sameBody: true }
    },
  }),
  'takes the last turn for the head': (inbox) => ({
    take: async (query) =>
      (await inbox.take(query)).map((turn) => ({
        ...turn,
        caseHead: turn.entry.position && { head: turn.entry.position, previous: null },
      })),
  }),
  'forgets which head was replaced': (inbox) => ({
    take: async (query) =>
      (await inbox.take(query)).map((turn) => ({
        ...turn,
        caseHead: turn.caseHead && { head: turn.caseHead.head, previous: null },
      })),
  }),
  'takes what is stored for the head': (inbox) => {
    const heads = new Map<string, CasePosition>()
    return {
      store: async (entry) => {
        if (entry.position) heads.set(entry.position.reviewCaseId, entry.position)
        return await inbox.store(entry)
      },
      head: async (id) => heads.get(id) ?? null,
    }
  },
  'hands out a case’s entries at once': (inbox) => ({
    store: (entry) => inbox.store({ ...entry, position: null }),
  }),
  'holds nothing': (inbox) => ({
    take: (query) => inbox.take({ ...query, holdUntil: query.now }),
  }),
  'forgets holds that move': () => ({ hold: async () => {} }),
  'retries at once': (inbox) => ({ failed: (turn, _, reason) => inbox.failed(turn, 0, reason) }),
  'hands out what is handled': () => ({ handled: async () => 'settled' }),
  'lets a turn end twice': (inbox) => {
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
  'takes one too many': (inbox) => ({
    take: (query) => inbox.take({ ...query, limit: query.limit + 1 }),
  }),
  'takes after close': () => ({ close: async () => {} }),
}

/** What an inbox does without the fence: it takes whoever calls for the newest turn. */
function withoutFence(inbox: Inbox, change: (now: (turn: TurnKey) => TurnKey) => Partial<Inbox>) {
  const attempts = new Map<string, number>()
  return {
    take: async (query: Parameters<Inbox['take']>[0]) => {
      const turns = await inbox.take(query)
      for (const { entry, attempt } of turns) attempts.set(entry.id, attempt)
      return turns
    },
    ...change(({ id, attempt }) => ({ id, attempt: attempts.get(id) ?? attempt })),
  }
}

const fenceless: Record<string, Mutation> = {
  'lets a late success end a newer turn': (inbox) =>
    withoutFence(inbox, (now) => ({ handled: (turn, at) => inbox.handled(now(turn), at) })),
  'lets a late failure end a newer turn': (inbox) =>
    withoutFence(inbox, (now) => ({
      failed: (turn, at, reason) => inbox.failed(now(turn), at, reason),
    })),
  'lets a late renewal move a newer hold': (inbox) =>
    withoutFence(inbox, (now) => ({ hold: (turns, until) => inbox.hold(turns.map(now), until) })),
  'calls a late ending settled': (inbox) => ({
    handled: async (turn, at) => {
      await inbox.handled(turn, at)
      return 'settled'
    },
  }),
}

describe('inbox suite', () => {
  it('passes an inbox that does as the port says', async () => {
    const failures = await failuresOf((test) =>
      inboxSuite({ test, create: async () => modelInbox(), runs: 100 }),
    )
    assert.deepEqual([...failures], [])
  })

  for (const [name, change] of Object.entries(mutants))
    it(`fails an inbox that ${name}`, async () => {
      const failures = await failuresOf((test) =>
        inboxSuite({ test, create: broken(change), runs: 100 }),
      )
      assert.notEqual(failures.size, 0)
    })

  for (const [name, change] of Object.entries(fenceless))
    it(`finds by late calls alone an inbox that ${name}`, async () => {
      const only = 'inbox: a turn that another followed ends nothing and moves no hold'
      const failures = await failuresOf(
        (test) => inboxSuite({ test, create: broken(change) }),
        only,
      )
      assert.deepEqual([...failures.keys()], [only])
    })
})
