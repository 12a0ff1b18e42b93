import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type BrokenAnchor, findBrokenAnchors } from '@countersign/core'
import { portablePrimitives } from '@countersign/core/signing'
import { type Anchor, anchors, batches } from '../../content/seal-records.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { createWorld, send, span, spanOf, traceOf, type World } from './world.ts'

const minute = 60_000

/** An organization with three entries in its ledger. */
async function anchored(): Promise<World> {
  const world = await createWorld()
  for (let at = 1; at <= 3; at++) {
    const now = world.clock.now()
    const ids = { traceId: traceOf(at), spanId: spanOf(at), sessionId: `s-${at}` }
    await send(world, span({ ...ids, startedAt: now - 1_000, endedAt: now }))
    for (let passed = 0; passed < 4; passed++) await world.pass(minute)
  }
  assert.equal(world.rows(anchors).length, 3)
  return world
}

async function broken({ store }: World): Promise<readonly BrokenAnchor[]> {
  const found: BrokenAnchor[] = []
  for await (const each of findBrokenAnchors(store, portablePrimitives)) found.push(each)
  return found
}

/** Changes the second entry behind the service's back. */
async function change(world: World, patch: Partial<Anchor> | null): Promise<void> {
  const [, was] = world.store.rows(anchors)
  assert.ok(was)
  const { tenantId, sequence } = was.row
  const removes = [{ in: anchors.name, key: [tenantId, sequence] as const, version: was.version }]
  const set = patch ? { puts: [put(anchors, { ...was.row, ...patch }, was)] } : { removes }
  assert.ok((await world.store.commit({ tenant: null, ...set })).committed)
}

it('finds what was changed in a ledger, a gap, a foreign signature and a batch that leads elsewhere', async () => {
  assert.deepEqual(await broken(await anchored()), [])
  const faults: readonly (readonly [Partial<Anchor> | null, RegExp])[] = [
    [{ anchoredAt: 1 }, /entry hashes to/],
    [{ previousHash: '1'.repeat(64) }, /expected previousHash/],
    [{ commitment: '1'.repeat(64) }, /commits to/],
    [{ keyId: 'nobody' }, /key/i],
    [null, /expected entry 2|missing/],
  ]
  for (const [patch, expected] of faults) {
    const world = await anchored()
    await change(world, patch)
    const found = await broken(world)
    assert.match(found.map(({ fault }) => fault).join('\n'), expected)
    assert.ok(found.every(({ tenantId }) => tenantId === world.owner.tenantId))
  }
  const world = await anchored()
  const [was] = world.store.rows(batches)
  assert.ok(was)
  const row = { ...was.row, merkleRoot: '2'.repeat(64) }
  await world.store.commit({ tenant: null, puts: [put(batches, row, was)] })
  assert.match(
    (await broken(world))[0]?.fault ?? '',
    new RegExp(`batch ${was.row.batchId} commits`),
  )
})
