import type { CaseHead, Inbox, InboxEntry } from '@countersign/core/ports'
import fc from 'fast-check'
import { expect, expectEqual, expectRejection } from '../assert.ts'
import { needs, type RegisterTest, type Supports } from '../register.ts'
import { histories } from './histories.ts'
import { createInboxModel } from './model.ts'

export type InboxCapability = 'durability'

const start = 1_800_000_000_000
const utf8 = new TextEncoder()

function entry(id: string, more: Partial<InboxEntry> = {}): InboxEntry {
  return {
    id,
    topic: 'event',
    type: 'review.case.created',
    reviewCaseId: null,
    body: utf8.encode(`{"id":"${id}"}`),
    receivedAt: start,
    ...more,
  }
}

/** Proves an inbox: each test gets one of its own from `create` and closes it. */
export function inboxSuite(options: {
  readonly test: RegisterTest
  readonly create: () => Promise<Inbox>
  /** What a restarted process finds: closes the given inbox and opens its data anew. */
  readonly reopen?: (inbox: Inbox) => Promise<Inbox>
  readonly supports?: Supports<InboxCapability>
  /** Histories to generate (default 200). */
  readonly runs?: number
}): void {
  const { test, create, reopen, runs = 200 } = options
  const supports: Supports<InboxCapability> = reopen
    ? (options.supports ?? {})
    : { durability: 'the suite was given no reopen', ...options.supports }

  const fresh = (
    name: string,
    run: (inbox: Inbox) => Promise<void>,
    ...capabilities: readonly InboxCapability[]
  ) =>
    test(`inbox: ${name}`, needs(supports, ...capabilities), async () => {
      const inbox = await create()
      try {
        await run(inbox)
      } finally {
        await inbox.close()
      }
    })

  fresh('of 50 calls at once with one id exactly one is told stored', async (inbox) => {
    const told = await Promise.all(Array.from({ length: 50 }, () => inbox.store(entry('evt_1'))))
    expectEqual(told.filter(({ kind }) => kind === 'stored').length, 1, 'calls told stored')
    for (const one of told)
      if (one.kind === 'duplicate') expect(one.sameBody, 'a copy counts as another body')
  })

  fresh('the first body of an id stays, another one is told', async (inbox) => {
    await inbox.store(entry('evt_1', { body: Uint8Array.of(1, 0, 255) }))
    for (const body of [[1, 0], [1, 0, 254], [1, 0, 255, 0], []])
      expectEqual(
        await inbox.store(entry('evt_1', { body: Uint8Array.from(body) })),
        { kind: 'duplicate', sameBody: false },
        `another body ${body}`,
      )
    const [turn] = await inbox.take({ topic: 'event', now: start, holdUntil: start + 1, limit: 1 })
    expectEqual(turn?.entry.body, Uint8Array.of(1, 0, 255), 'the body that is handed out')
  })

  fresh('bytes are kept exactly, invalid UTF-8 and none at all included', async (inbox) => {
    const bodies = [Uint8Array.of(), Uint8Array.from({ length: 256 }, (_, at) => at)]
    for (const [at, body] of bodies.entries()) await inbox.store(entry(`evt_${at}`, { body }))
    const turns = await inbox.take({ topic: 'event', now: start, holdUntil: start + 1, limit: 9 })
    expectEqual(
      turns.map((turn) => turn.entry.body),
      bodies,
      'bodies',
    )
  })

  fresh('a buffer that the caller uses again changes nothing', async (inbox) => {
    const body = Uint8Array.of(1, 2, 3)
    const storing = inbox.store(entry('evt_1', { body: body.subarray(0, 2) }))
    body.fill(9)
    await storing
    const [turn] = await inbox.take({ topic: 'event', now: start, holdUntil: start + 1, limit: 1 })
    expectEqual(turn?.entry.body, Uint8Array.of(1, 2), 'the body')
  })

  fresh('a case ends at its highest head, however the calls race', async (inbox) => {
    const heads: CaseHead[] = Array.from({ length: 40 }, (_, at) => ({
      reviewCaseId: 'rc_1',
      caseVersion: 1 + ((at * 7) % 5),
      eventSequence: 1 + ((at * 11) % 40),
    }))
    const changes = await Promise.all(heads.map((head) => inbox.raise(head)))
    const order = (head: CaseHead) => head.caseVersion * 1000 + head.eventSequence
    const highest = Math.max(...heads.map(order))
    const head = await inbox.head('rc_1')
    expect(head !== null && order(head) === highest, `the head is ${JSON.stringify(head)}`)
    for (const [at, change] of changes.entries()) {
      const given = heads[at] as CaseHead
      expect(order(change.head) >= order(given), 'a head fell behind one that was raised')
      expect(
        change.previous === null || order(change.previous) < order(change.head),
        'a head replaced one as high as itself',
      )
    }
    expectEqual(await inbox.head('rc_2'), null, 'the head of a case without events')
  })

  fresh('many takers at once hand out each entry once', async (inbox) => {
    await Promise.all(Array.from({ length: 60 }, (_, at) => inbox.store(entry(`evt_${at}`))))
    const taken = await Promise.all(
      Array.from({ length: 20 }, () =>
        inbox.take({ topic: 'event', now: start, holdUntil: start + 1000, limit: 5 }),
      ),
    )
    const given = taken.flat().map((turn) => turn.entry.id)
    expectEqual(given.length, 60, 'entries handed out')
    expectEqual(new Set(given).size, 60, 'distinct entries handed out')
  })

  fresh('entries of one case are handed out one at a time', async (inbox) => {
    for (const id of ['evt_1', 'evt_2', 'evt_3'])
      await inbox.store(entry(id, { reviewCaseId: id === 'evt_3' ? 'rc_2' : 'rc_1' }))
    const take = async (now: number) =>
      (await inbox.take({ topic: 'event', now, holdUntil: now + 10, limit: 9 })).map(
        (turn) => turn.entry.id,
      )
    expectEqual(await take(start), ['evt_1', 'evt_3'], 'the first turns')
    expectEqual(await take(start + 9), [], 'turns while both cases are held')
    await inbox.handled('evt_1', start + 9)
    expectEqual(await take(start + 9), ['evt_2'], 'the turn after the first is handled')
  })

  fresh('an entry whose hold ends comes again, and its attempts count', async (inbox) => {
    await inbox.store(entry('evt_1'))
    const take = async (now: number, holdUntil: number) =>
      (await inbox.take({ topic: 'event', now, holdUntil, limit: 1 })).map((turn) => turn.attempt)
    expectEqual(await take(start, start + 10), [1], 'first')
    await inbox.hold(['evt_1'], start + 20)
    expectEqual(await take(start + 19, start + 30), [], 'while the moved hold lasts')
    expectEqual(await take(start + 20, start + 30), [2], 'when it has ended')
    await inbox.failed('evt_1', start + 25, 'the handler threw')
    expectEqual(await take(start + 24, start + 50), [], 'before the retry')
    expectEqual(await take(start + 25, start + 50), [3], 'at the retry')
    await inbox.handled('evt_1', start + 26)
    expectEqual(await take(start + 1000, start + 2000), [], 'once handled')
    expectEqual(await inbox.store(entry('evt_1')), { kind: 'duplicate', sameBody: true }, 'a copy')
  })

  fresh('it hands out no more than the limit', async (inbox) => {
    for (const at of [1, 2, 3]) await inbox.store(entry(`evt_${at}`))
    const query = { topic: 'event', now: start, holdUntil: start + 10 } as const
    const taken = (await inbox.take({ ...query, limit: 2 })).map((turn) => turn.entry.id)
    expectEqual(taken, ['evt_1', 'evt_2'], 'the first two')
    const rest = (await inbox.take({ ...query, limit: 2 })).map((turn) => turn.entry.id)
    expectEqual(rest, ['evt_3'], 'what was left')
  })

  fresh(
    'what was acknowledged is there after a restart',
    async (inbox) => {
      if (!reopen) return
      await Promise.all([1, 2, 3].map((at) => inbox.store(entry(`evt_${at}`))))
      await inbox.raise({ reviewCaseId: 'rc_1', caseVersion: 1, eventSequence: 1 })
      await inbox.raise({ reviewCaseId: 'rc_1', caseVersion: 2, eventSequence: 2 })
      await inbox.take({ topic: 'event', now: start, holdUntil: start + 10, limit: 2 })
      await inbox.handled('evt_1', start)
      const again = await reopen(inbox)
      try {
        expectEqual(await again.has(['evt_3', 'evt_9', 'evt_1']), [true, false, true], 'has')
        const head = { reviewCaseId: 'rc_1', caseVersion: 2, eventSequence: 2 }
        expectEqual(
          await again.raise(head),
          { head, previous: { reviewCaseId: 'rc_1', caseVersion: 1, eventSequence: 1 } },
          'the head, with the one that it replaced',
        )
        const turns = await again.take({
          topic: 'event',
          now: start + 10,
          holdUntil: start + 20,
          limit: 9,
        })
        expectEqual(
          turns.map((turn) => [turn.entry.id, turn.attempt]),
          [
            ['evt_3', 1],
            ['evt_2', 2],
          ],
          'turns',
        )
      } finally {
        await again.close()
      }
    },
    'durability',
  )

  fresh('once closed, it takes nothing', async (inbox) => {
    await inbox.close()
    await expectRejection(inbox.store(entry('evt_1')), 'a store after close')
  })

  test('inbox: every history goes as the model says', {}, () =>
    fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const inbox = await create()
        const model = createInboxModel()
        let now = start
        try {
          for (const { step, wait } of history) {
            now += wait
            await step.run(inbox, model, now)
          }
        } finally {
          await inbox.close()
        }
      }),
      { numRuns: runs },
    ),
  )
}
