import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inboxSuite } from '@countersign/conformance/inbox'
import type { Inbox, InboxEntry } from '@countersign/core/ports'
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
    raise: async (head) => model.raise(head),
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
  'takes the last head for the highest': () => {
    const heads = new Map()
    return {
      raise: async (head) => {
        const change = { head, previous: heads.get(head.reviewCaseId)?.head ?? null }
        heads.set(head.reviewCaseId, change)
        return change
      },
      head: async (id) => heads.get(id)?.head ?? null,
    }
  },
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
