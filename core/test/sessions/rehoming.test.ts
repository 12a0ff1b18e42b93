import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store } from '../../base/ports/store.ts'
import { sessions } from '../../content/records.ts'
import { seals } from '../../content/seal-records.ts'
import { createWorld, send, span, spanOf, traceOf } from './world.ts'

const minute = 60_000

/** A store whose work of re-homing nobody gets to while it is held. */
function holding(): { held: boolean; wrap(store: Store): Store } {
  const state = {
    held: true,
    wrap: (store: Store): Store => ({
      ...store,
      lanes: async (query) => {
        const lanes = await store.lanes(query)
        return state.held ? lanes.filter(({ lane }) => lane !== 'ingest.rehome') : lanes
      },
    }),
  }
  return state
}

const child = (spanId: number) =>
  span({ sessionId: null, traceId: traceOf(5), spanId: spanOf(spanId), parentSpanId: spanOf(1) })

describe('a session whose steps move to another', () => {
  it('does not complete while they wait to move', async () => {
    const work = holding()
    const world = await createWorld({ wrap: work.wrap })
    await send(world, child(2))
    await send(world, span({ sessionId: 'named', traceId: traceOf(5) }))
    await world.pass(31 * minute)
    await world.pass(minute)
    work.held = false
    await world.pass(minute)
    await world.pass(minute)
    assert.deepEqual(
      world.rows(sessions).map(({ sessionId, tally }) => [sessionId, tally.steps]),
      [['named', 2]],
    )
    assert.deepEqual(
      new Set(world.rows(seals).map(({ sessionId }) => sessionId)),
      new Set(['named']),
    )
    assert.equal(world.events('session.completed').length, 1)
  })

  it('is not sealed any more, though it was complete before it got its name', async () => {
    const work = holding()
    const world = await createWorld({ wrap: work.wrap })
    await send(world, { ...child(1), parentSpanId: null })
    await world.pass(minute)
    await send(world, { ...child(2), sessionId: 'named' })
    await world.pass(5 * minute)
    assert.deepEqual(world.rows(seals), [])
    work.held = false
    await world.pass(minute)
    await world.pass(31 * minute)
    await world.pass(minute)
    assert.deepEqual(
      world.rows(sessions).map(({ sessionId, tally }) => [sessionId, tally.steps]),
      [['named', 2]],
    )
    assert.ok(world.rows(seals).every(({ sessionId }) => sessionId === 'named'))
  })
})
