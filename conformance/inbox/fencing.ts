import type { Inbox, TurnKey } from '@countersign/core/ports'
import { expectEqual } from '../assert.ts'
import { at, entry, start, turnOf } from './entries.ts'

type LateCall = (inbox: Inbox, turn: TurnKey) => Promise<unknown>

/** What a handler may call that was stopped beyond its hold, and what it has to be told. */
const lateCalls: readonly (readonly [what: string, call: LateCall, told: unknown])[] = [
  ['a success', (inbox, turn) => inbox.handled(turn, start + 11), 'stale'],
  ['a failure', (inbox, turn) => inbox.failed(turn, start + 11, 'it threw'), 'stale'],
  ['a hold cut short', (inbox, turn) => inbox.hold([turn], start + 11), undefined],
  ['a hold drawn out', (inbox, turn) => inbox.hold([turn], start + 90), undefined],
]

/** That of an entry's turns the newest alone decides. */
export function fencing(fresh: (name: string, run: (inbox: Inbox) => Promise<void>) => void): void {
  const taking = (inbox: Inbox) => async (now: number, holdUntil: number) =>
    (await inbox.take({ topic: 'event', now, holdUntil, limit: 9 })).map((turn) => [
      turn.entry.id,
      turn.attempt,
    ])

  fresh('a turn that another followed ends nothing and moves no hold', async (inbox) => {
    const take = taking(inbox)
    for (const [number, [what, call, told]] of lateCalls.entries()) {
      const [id, next, reviewCaseId] = [`evt_${number}`, `evt_${number}_next`, `rc_${number}`]
      await inbox.store(entry(id, { position: at(reviewCaseId, 1, 1) }))
      expectEqual(await take(start, start + 10), [[id, 1]], 'the first turn')
      expectEqual(await take(start + 10, start + 30), [[id, 2]], 'the turn after its hold')
      await inbox.store(entry(next, { position: at(reviewCaseId, 2, 2) }))
      expectEqual(await call(inbox, turnOf(id)), told, `${what} of the first turn`)
      expectEqual(await take(start + 29, start + 50), [], `turns beside the second, after ${what}`)
      const after = `the turn after the second's hold, after ${what}`
      expectEqual(await take(start + 30, start + 50), [[next, 1]], after)
      for (const turn of [turnOf(id, 2), turnOf(next)])
        expectEqual(await inbox.handled(turn, start + 31), 'settled', `a success, after ${what}`)
    }
  })

  fresh('a turn ends once', async (inbox) => {
    const take = taking(inbox)
    await inbox.store(entry('evt_1'))
    expectEqual(await inbox.handled(turnOf('evt_1', 0), start), 'stale', 'a success before any')
    expectEqual(await take(start, start + 10), [['evt_1', 1]], 'the first turn')
    const [first, second] = [turnOf('evt_1'), turnOf('evt_1', 2)]
    expectEqual(await inbox.failed(first, start + 5, 'it threw'), 'settled', 'its failure')
    expectEqual(await inbox.failed(first, start + 90, 'it threw'), 'stale', 'another failure')
    expectEqual(await inbox.handled(first, start + 1), 'stale', 'a success after its failure')
    await inbox.hold([first], start + 90)
    expectEqual(await take(start + 5, start + 10), [['evt_1', 2]], 'the second turn')
    expectEqual(await inbox.handled(second, start + 6), 'settled', 'its success')
    expectEqual(await inbox.handled(second, start + 6), 'stale', 'another success')
    expectEqual(await inbox.failed(second, start + 6, 'it threw'), 'stale', 'a failure after it')
    expectEqual(await take(start + 90, start + 99), [], 'turns of what is handled')
    expectEqual(await inbox.handled(turnOf('evt_9'), start), 'stale', 'a success of no entry')
  })
}
