import assert from 'node:assert/strict'
import { it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { Read } from '@countersign/core/ports'
import { sessions, steps } from '../../content/records.ts'
import { seals } from '../../content/seal-records.ts'
import { leafOf, recordOf } from '../../sessions/seal/record.ts'
import { createWorld, send, span, spanOf } from './world.ts'

const count = 1_200
/** Steps that are read or hashed without a pause. */
const most = 250

it('a long session is sealed in parts with pauses, under the leaf of the whole', async () => {
  let pauses = 0
  const world = await createWorld({
    pause: async () => {
      pauses++
    },
  })
  for (let at = 0; at < count; at += 400)
    unwrap(
      await send(
        world,
        ...Array.from({ length: 400 }, (_, n) => span({ spanId: spanOf(at + n + 1) })),
      ),
    )
  await world.pass(120_000)
  const before = pauses
  let largest = 0
  const { read } = world.store
  world.store.read = async (tenant: string | null, reads: readonly Read[]) => {
    const found = await read(tenant, reads)
    for (const each of found) largest = Math.max(largest, each.rows.length)
    return found
  }
  await world.pass(120_000)

  const [seal] = world.rows(seals)
  const [session] = world.rows(sessions)
  assert.ok(seal?.head && session)
  assert.equal(session.tally.steps, count)
  const all = [...world.rows(steps)].sort((a, b) => (a.place < b.place ? -1 : 1))
  assert.equal(seal.leafHash, leafOf(recordOf(session, seal.revision, seal.head, all)))
  assert.ok(largest <= most, `${largest} rows at once`)
  // One between two reads, and one for each part of what is hashed.
  assert.ok(pauses - before >= count / most + 1, `${pauses - before} pauses`)
})
