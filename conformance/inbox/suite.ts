import type { CasePosition, Inbox } from '@countersign/core/ports'
import fc from 'fast-check'
import { expect, expectEqual, expectRejection } from '../assert.ts'
import { generated } from '../generated.ts'
import { createProducts } from '../products.ts'
import { needs, type RegisterTest, type Supports } from '../register.ts'
import { at, entry, start, turnOf } from './entries.ts'
import { fencing } from './fencing.ts'
import { histories } from './histories.ts'
import { createInboxModel } from './model.ts'
import { sizes } from './sizes.ts'

/** Parts of the suite that an inbox may lack. */
export type InboxCapability = 'durability'

/**
 * Proves an inbox: each test gets an empty one from `create`, closed afterwards.
 *
 * @example
 * ```ts
 * import test from 'node:test'
 * import { inboxSuite } from '@countersign/conformance/inbox'
 * import { openMyInbox } from './my-inbox.js'
 *
 * inboxSuite({ test, create: () => openMyInbox() })
 * ```
 */
export function inboxSuite(options: {
  readonly test: RegisterTest
  readonly create: () => Promise<Inbox>
  /** What a restarted process finds: closes the given inbox and opens its data anew. */
  readonly reopen?: (inbox: Inbox) => Promise<Inbox>
  readonly supports?: Supports<InboxCapability>
  /**
   * Empties the inbox. Where it is given, `create` is called once for nearly all tests, which take turns on that
   * inbox: for one that is slow to make. The last test closes it.
   */
  readonly reset?: (inbox: Inbox) => Promise<void>
  /** Histories to generate (default 200). */
  readonly runs?: number
  /** Where the histories start: the seed that a failure printed. */
  readonly seed?: number
}): void {
  const { test, create, reopen, reset, runs = 200, seed } = options
  const supports: Supports<InboxCapability> = reopen
    ? (options.supports ?? {})
    : { durability: 'the suite was given no reopen', ...options.supports }

  const shared = createProducts(create, reset)
  const own = createProducts(create, undefined)
  const register =
    ({ use }: typeof shared) =>
    (
      name: string,
      run: (inbox: Inbox) => Promise<void>,
      ...capabilities: readonly InboxCapability[]
    ): void =>
      void test(`inbox: ${name}`, needs(supports, ...capabilities), () =>
        use(({ one }) => run(one)),
      )
  const fresh = register(shared)
  /** The same for a test that closes its inbox, or opens it anew. */
  const closing = register(own)

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

  fresh('each turn tells the head of its case, the turn itself counted', async (inbox) => {
    const take = async (now: number) =>
      (await inbox.take({ topic: 'event', now, holdUntil: now + 10, limit: 9 })).map((turn) => ({
        id: turn.entry.id,
        ...turn.caseHead,
      }))
    const [first, second, fourth] = [at('rc_1', 1, 1), at('rc_1', 1, 2), at('rc_1', 2, 1)]
    expectEqual(await inbox.head('rc_1'), null, 'the head before any turn')
    await inbox.store(entry('evt_2', { position: second }))
    expectEqual(await inbox.head('rc_1'), null, 'the head of what is only stored')
    expectEqual(await take(start), [{ id: 'evt_2', head: second, previous: null }], 'the first')
    await inbox.handled(turnOf('evt_2'), start)
    await inbox.store(entry('evt_1', { position: first }))
    expectEqual(await take(start), [{ id: 'evt_1', head: second, previous: null }], 'a late one')
    await inbox.handled(turnOf('evt_1'), start)
    await inbox.store(entry('evt_4', { position: fourth }))
    const told = [{ id: 'evt_4', head: fourth, previous: second }]
    expectEqual(await take(start), told, 'a higher version with a lower sequence')
    expectEqual(await take(start + 10), told, 'the same once more, its first handler having died')
    expectEqual(await inbox.head('rc_1'), fourth, 'the head')
    expectEqual(await inbox.head('rc_2'), null, 'the head of another case')
  })

  fresh('a case ends at its highest head, whatever the order of its turns', async (inbox) => {
    const positions = Array.from({ length: 40 }, (_, number) =>
      at('rc_1', 1 + ((number * 7) % 5), 1 + ((number * 11) % 40)),
    )
    await Promise.all(
      positions.map((position, number) => inbox.store(entry(`evt_${number}`, { position }))),
    )
    const order = (one: CasePosition) => one.caseVersion * 1000 + one.eventSequence
    const query = { topic: 'event', now: start, holdUntil: start + 1000, limit: 9 } as const
    let given = 0
    for (;;) {
      const rounds = await Promise.all([inbox.take(query), inbox.take(query), inbox.take(query)])
      const turns = rounds.flat()
      if (turns.length === 0) break
      expectEqual(turns.length, 1, 'turns of one case at once')
      for (const { entry: one, attempt, caseHead } of turns) {
        expect(caseHead !== null && one.position !== null, 'no head for an entry of a case')
        expect(order(caseHead.head) >= order(one.position), 'a head fell behind its turn')
        expect(
          caseHead.previous === null || order(caseHead.previous) < order(caseHead.head),
          'a head replaced one as high as itself',
        )
        await inbox.handled(turnOf(one.id, attempt), start)
        given += 1
      }
    }
    expectEqual(given, 40, 'turns')
    const head = await inbox.head('rc_1')
    expectEqual(head && order(head), Math.max(...positions.map(order)), 'the head')
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
      await inbox.store(entry(id, { position: at(id === 'evt_3' ? 'rc_2' : 'rc_1', 1, 1) }))
    const take = async (now: number) =>
      (await inbox.take({ topic: 'event', now, holdUntil: now + 10, limit: 9 })).map(
        (turn) => turn.entry.id,
      )
    expectEqual(await take(start), ['evt_1', 'evt_3'], 'the first turns')
    expectEqual(await take(start + 9), [], 'turns while both cases are held')
    await inbox.handled(turnOf('evt_1'), start + 9)
    expectEqual(await take(start + 9), ['evt_2'], 'the turn after the first is handled')
  })

  fresh('an entry whose hold ends comes again, and its attempts count', async (inbox) => {
    await inbox.store(entry('evt_1'))
    const take = async (now: number, holdUntil: number) =>
      (await inbox.take({ topic: 'event', now, holdUntil, limit: 1 })).map((turn) => turn.attempt)
    expectEqual(await take(start, start + 10), [1], 'first')
    await inbox.hold([turnOf('evt_1')], start + 20)
    expectEqual(await take(start + 19, start + 30), [], 'while the moved hold lasts')
    expectEqual(await take(start + 20, start + 30), [2], 'when it has ended')
    const retryAt = start + 25
    expectEqual(await inbox.failed(turnOf('evt_1', 2), retryAt, 'it threw'), 'settled', 'a failure')
    expectEqual(await take(start + 24, start + 50), [], 'before the retry')
    expectEqual(await take(start + 25, start + 50), [3], 'at the retry')
    expectEqual(await inbox.handled(turnOf('evt_1', 3), start + 26), 'settled', 'a success')
    expectEqual(await take(start + 1000, start + 2000), [], 'once handled')
    expectEqual(await inbox.store(entry('evt_1')), { kind: 'duplicate', sameBody: true }, 'a copy')
  })

  fencing(fresh)

  fresh('it hands out no more than the limit', async (inbox) => {
    for (const at of [1, 2, 3]) await inbox.store(entry(`evt_${at}`))
    const query = { topic: 'event', now: start, holdUntil: start + 10 } as const
    const taken = (await inbox.take({ ...query, limit: 2 })).map((turn) => turn.entry.id)
    expectEqual(taken, ['evt_1', 'evt_2'], 'the first two')
    const rest = (await inbox.take({ ...query, limit: 2 })).map((turn) => turn.entry.id)
    expectEqual(rest, ['evt_3'], 'what was left')
  })

  sizes(fresh)

  closing(
    'what was acknowledged is there after a restart',
    async (inbox) => {
      if (!reopen) return
      const take = (now: number) =>
        inbox.take({ topic: 'event', now, holdUntil: now + 10, limit: 1 })
      const [first, second] = [at('rc_1', 1, 1), at('rc_1', 2, 2)]
      await inbox.store(entry('evt_1', { position: first }))
      await take(start)
      await inbox.handled(turnOf('evt_1'), start)
      await inbox.store(entry('evt_2', { position: second }))
      await take(start)
      await inbox.store(entry('evt_3'))
      const again = await reopen(inbox)
      try {
        expectEqual(await again.has(['evt_3', 'evt_9', 'evt_1']), [true, false, true], 'has')
        expectEqual(await again.head('rc_1'), second, 'the head')
        const turns = await again.take({
          topic: 'event',
          now: start + 10,
          holdUntil: start + 20,
          limit: 9,
        })
        expectEqual(
          turns.map((turn) => [turn.entry.id, turn.attempt, turn.caseHead]),
          [
            ['evt_3', 1, null],
            ['evt_2', 2, { head: second, previous: first }],
          ],
          'turns',
        )
      } finally {
        await again.close()
      }
    },
    'durability',
  )

  closing('once closed, it takes nothing', async (inbox) => {
    await inbox.close()
    await expectRejection(inbox.store(entry('evt_1')), 'a store after close')
  })

  test('inbox: every history goes as the model says', {}, () =>
    fc.assert(
      fc.asyncProperty(histories, (history) =>
        shared.use(async ({ one: inbox }) => {
          const model = createInboxModel()
          let now = start
          for (const { step, wait } of history) {
            now += wait
            await step.run(inbox, model, now)
          }
        }),
      ),
      generated(runs, seed),
    ),
  )

  if (reset) test('inbox: is closed', {}, shared.end)
}
