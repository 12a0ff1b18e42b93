import type { CasePosition, Inbox, InboxEntry } from '@countersign/core/ports'
import { expectEqual } from '../assert.ts'
import { at, entry, start } from './entries.ts'
import { createInboxModel, type InboxModel } from './model.ts'

type Register = (name: string, run: (inbox: Inbox) => Promise<void>) => void

/** Beyond every limit that an inbox may have inside: windows of ids, pages, bound parameters. */
const many = 300

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, one) => one)
const long = 'x'.repeat(255)
/** Ids that a collation, a trim or a prefix may take for one another. */
const alike = ['a', 'A', 'a ', ' a', 'a\u0301', '\u00e1', '10', '010', long, `${long}1`, `${long}2`]

/** What works with a few works with hundreds, and at the borders of every member. */
export function sizes(fresh: Register): void {
  fresh('hundreds of entries are each kept once, however long ago', async (inbox) => {
    const model = createInboxModel()
    const entries = numbers(many).map((one) =>
      entry(`evt_${one}`, { position: at(`rc_${one}`, 1, one + 1), receivedAt: start + one }),
    )
    for (const one of entries) await inbox.store(one)
    for (const one of entries) model.store(one)
    const ids = [...entries.map(({ id }) => id), 'evt_unknown', 'evt_3']
    expectEqual(await inbox.has(ids), model.has(ids), 'has')
    const query = { topic: 'event', now: start + many, holdUntil: start + 9_000 } as const
    expectEqual(
      await inbox.take({ ...query, limit: many - 10 }),
      model.take({ ...query, limit: many - 10 }),
      `turns of ${many - 10} entries`,
    )
    for (const one of entries)
      expectEqual(
        await inbox.head(one.position?.reviewCaseId ?? ''),
        model.head(one.position?.reviewCaseId ?? ''),
        `the head of the case of ${one.id}`,
      )
    for (const one of entries.slice(0, 100))
      expectEqual(
        await inbox.handled({ id: one.id, attempt: 1 }, start + many),
        model.handled({ id: one.id, attempt: 1 }),
        `the success of ${one.id}`,
      )
    for (const one of entries)
      expectEqual(await inbox.store(one), { kind: 'duplicate', sameBody: true }, `${one.id} again`)
    expectEqual(
      await inbox.take({ ...query, limit: 1_000 }),
      model.take({ ...query, limit: 1_000 }),
      'the turns that were left',
    )
    const held = numbers(many - 100).map((one) => ({ id: `evt_${one + 100}`, attempt: 1 }))
    await inbox.hold(held, start + 20_000)
    const later = { ...query, now: start + 10_000, holdUntil: start + 30_000, limit: 1_000 }
    expectEqual(await inbox.take(later), [], `turns while ${held.length} moved holds last`)
  })

  fresh('ids and cases that differ somewhere are different', async (inbox) => {
    const model = createInboxModel()
    for (const [number, name] of alike.entries()) {
      const one = entry(name, { position: at(name, number + 1, 1), receivedAt: start + number })
      expectEqual(await inbox.store(one), { kind: 'stored' }, `the entry ${show(name)}`)
      model.store(one)
    }
    const other = entry('a', { body: Uint8Array.of(1) })
    expectEqual(await inbox.store(other), { kind: 'duplicate', sameBody: false }, 'another body')
    await turns(inbox, model, start + 100)
    for (const name of alike)
      expectEqual(await inbox.head(name), model.head(name), `the head of ${show(name)}`)
    expectEqual(await inbox.has(alike), model.has(alike), 'has')
  })

  fresh('positions are compared by version, then by sequence, up to 2^53', async (inbox) => {
    const most = Number.MAX_SAFE_INTEGER
    const raising: readonly (readonly [number, number])[] = [
      [1, 1],
      [1, 9],
      [1, 10],
      [1, 2 ** 16 + 1],
      [1, 2 ** 32 + 1],
      [1, most],
      [2, 1],
      [9, 1],
      [10, 1],
      [2 ** 16, 1],
      [2 ** 31, 1],
      [2 ** 32, 1],
      [2 ** 32 + 1, 1],
      [2 ** 40, 7],
      [most - 1, most],
      [most, 1],
    ]
    const model = createInboxModel()
    let number = 0
    const turn = async (one: CasePosition) => {
      number += 1
      const made = entry(`evt_${number}`, { position: one, receivedAt: start + number })
      await inbox.store(made)
      model.store(made)
      await turns(inbox, model, start + number)
      expectEqual(await inbox.head(one.reviewCaseId), model.head(one.reviewCaseId), 'the head')
    }
    for (const [version, sequence] of raising) await turn(at('rc_up', version, sequence))
    for (const [version, sequence] of [...raising].reverse())
      await turn(at('rc_down', version, sequence))
    for (const [version, sequence] of raising.slice(0, -1))
      await turn(at('rc_up', version, sequence))
  })

  fresh('each topic hands out its own entries, in the order of their turns', async (inbox) => {
    const model = createInboxModel()
    const entries: readonly InboxEntry[] = [
      entry('one', { receivedAt: start + 30 }),
      entry('two', { topic: 'outcome', receivedAt: start + 20, type: null }),
      entry('three', { receivedAt: start + 10, type: null, body: new Uint8Array(0) }),
      entry('four', { receivedAt: start + 40, position: at('rc', 1, 1) }),
      entry('five', { topic: 'outcome', receivedAt: start + 5, position: at('rc', 2, 1) }),
      entry('six', { receivedAt: start + 30, body: new Uint8Array(2 ** 20 + 1).fill(7) }),
    ]
    for (const one of entries) expectEqual(await inbox.store(one), model.store(one), one.id)
    const copy = entry('two', { receivedAt: start + 1 })
    expectEqual(await inbox.store(copy), model.store(copy), 'the id in the other topic')
    for (let now = start; now < start + 60; now += 3)
      for (const topic of ['outcome', 'event'] as const) {
        const query = { topic, now, holdUntil: now + 14, limit: 2 }
        const told = model.take(query)
        expectEqual(await inbox.take(query), told, `turns of ${topic} at ${now - start} ms`)
        for (const { entry: one, attempt } of told) {
          const turn = { id: one.id, attempt }
          if (attempt === 1 && one.id !== 'five') continue
          if (one.id === 'three')
            expectEqual(
              await inbox.failed(turn, now + 5, 'it threw'),
              model.failed(turn, now + 5),
              'a failure',
            )
          else expectEqual(await inbox.handled(turn, now), model.handled(turn), 'a success')
        }
      }
  })

  fresh('a hold lasts until its end, to the millisecond', async (inbox) => {
    await inbox.store(entry('evt_1'))
    const attempts = async (now: number) =>
      (await inbox.take({ topic: 'event', now, holdUntil: now + 10, limit: 9 })).map(
        ({ attempt }) => attempt,
      )
    expectEqual(await attempts(start), [1], 'the first turn')
    expectEqual(await attempts(start + 9), [], 'a millisecond before the end')
    expectEqual(await attempts(start + 10), [2], 'at the end')
    expectEqual(await attempts(start + 20), [3], 'at the end of the second')
  })

  fresh('a failed entry waits for its retry, and its case goes on', async (inbox) => {
    const model = createInboxModel()
    for (const number of [1, 2, 3]) {
      const one = entry(`evt_${number}`, {
        position: at('rc', number, number),
        receivedAt: start + number,
      })
      await inbox.store(one)
      model.store(one)
    }
    for (let now = start + 3; now < start + 60; now += 1) {
      const query = { topic: 'event', now, holdUntil: now + 9, limit: 9 } as const
      const told = model.take(query)
      expectEqual(await inbox.take(query), told, `turns at ${now - start} ms`)
      for (const { entry: one, attempt } of told) {
        const turn = { id: one.id, attempt }
        const wait = now + 4 * attempt
        if (one.id === 'evt_1' && attempt < 4)
          expectEqual(
            await inbox.failed(turn, wait, 'it threw'),
            model.failed(turn, wait),
            'a failure',
          )
        else expectEqual(await inbox.handled(turn, now), model.handled(turn), 'a success')
      }
    }
    expectEqual(model.attempts('evt_1'), 4, 'turns of the entry that failed')
  })
}

const show = (text: string) => JSON.stringify(text)

/** Takes and settles whatever is due, as the model does. */
async function turns(inbox: Inbox, model: InboxModel, now: number): Promise<void> {
  const query = { topic: 'event', now, holdUntil: now + 1_000, limit: 100 } as const
  for (;;) {
    const told = model.take(query)
    expectEqual(await inbox.take(query), told, 'turns')
    if (told.length === 0) return
    for (const { entry: one, attempt } of told) {
      const turn = { id: one.id, attempt }
      expectEqual(await inbox.handled(turn, now), model.handled(turn), 'a success')
    }
  }
}
