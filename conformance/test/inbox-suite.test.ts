import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inboxSuite } from '@countersign/conformance/inbox'
import type { CasePosition, Inbox, InboxEntry } from '@countersign/core/ports'
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
    hold: async (ids, until) => model.hold(ids, until),
    handled: async (id) => model.handled(id),
    failed: async (id, at) => model.failed(id, at),
    has: async (ids) => model.has(ids),
    close: async () => {
      closed = true
    },
  }
}

const mutants: Record<string, (inbox: Inbox) => Partial<Inbox>> = {
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
  'retries at once': (inbox) => ({ failed: (id, _, reason) => inbox.failed(id, 0, reason) }),
  'hands out what is handled': () => ({ handled: async () => {} }),
  'takes one too many': (inbox) => ({
    take: (query) => inbox.take({ ...query, limit: query.limit + 1 }),
  }),
  'takes after close': () => ({ close: async () => {} }),
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
        inboxSuite({
          test,
          create: async () => {
            const inbox = modelInbox()
            return { ...inbox, ...change(inbox) }
          },
          runs: 100,
        }),
      )
      assert.notEqual(failures.size, 0)
    })
})
