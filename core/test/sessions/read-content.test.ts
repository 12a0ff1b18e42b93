import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import type { ChangeSet, Collection, Versioned } from '../../base/ports/store.ts'
import { bundlePath, bundles } from '../../content/payload-records.ts'
import { steps } from '../../content/records.ts'
import { erasedSubjects, subjectKeys } from '../../content/vault/records.ts'
import { keyIn } from '../../kernel/ledger/pages.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { openBundle } from '../../sessions/open-bundle.ts'
import { createWorld, send, span, spanOf, start, traceOf, type World } from './world.ts'

const stepId = `${traceOf(1)}-${spanOf(1)}`
const lost = { code: 'payload_damaged', message: /bun_.*(missing|cut short).*restore it/ }

async function stored(world: World): Promise<string> {
  unwrap(
    await send(world, span({ input: 'kept', attributes: { note: 'x' }, dataSubjectId: 'ada' })),
  )
  const [row] = world.rows(bundles)
  assert.ok(row)
  return bundlePath(row)
}
const read = (world: World) =>
  world.service.sessions.readStep(world.admin, { sessionId: 'session-1', stepId })

describe('content whose blob is lost', () => {
  it('is damage that an operator hears of, and never an erasure', async () => {
    const world = await createWorld()
    const path = await stored(world)
    const bytes = (await world.blobs.get(path)) ?? new Uint8Array()
    for (const length of [bytes.length - 1, 40, 0]) {
      await world.blobs.put([{ path, bytes: bytes.slice(0, length) }])
      await assert.rejects(read(world), lost, `${length} bytes are left`)
    }
    await world.blobs.remove([path])
    await assert.rejects(read(world), lost)
    await world.blobs.put([{ path, bytes }])
    assert.equal(unwrap(await read(world)).payload?.input, 'kept')
  })

  it('is none where content was erased: its key or its row tells', async () => {
    const erasures: Readonly<Record<string, (world: World) => ChangeSet>> = {
      'the key is gone': (world) => ({ tenant, removes: [removed(world, subjectKeys)] }),
      'the key is another': (world) => {
        const { tenantId, applicationId, subjectId } = only(world, subjectKeys).row
        const row = { tenantId, applicationId, subjectId, erasedAt: start }
        return { tenant: tenantId, puts: [put(erasedSubjects, row, null)] }
      },
      'the step has none left': (world) => {
        const was = only(world, steps)
        const payloads = was.row.payloads.map((each) => ({ ...each, length: 0 }))
        return { tenant, puts: [put(steps, { ...was.row, payloads }, was)] }
      },
      'the bundle was removed': (world) => ({ tenant, removes: [removed(world, bundles)] }),
    }
    for (const [name, erasure] of Object.entries(erasures)) {
      const world = await createWorld()
      await world.blobs.remove([await stored(world)])
      const done = await world.store.commit({ ...erasure(world), tenant: world.owner.tenantId })
      assert.ok(done.committed, name)
      assert.equal(unwrap(await read(world)).payload, null, name)
    }
  })
})

describe('contents of a step', () => {
  it('are sealed together, and each is read back', async () => {
    const world = await createWorld()
    await stored(world)
    const { payloads } = only(world, steps).row
    assert.deepEqual(
      payloads.map(({ field }) => field),
      ['input', 'attributes'],
    )
    assert.equal(new Set(payloads.map(({ offset }) => offset)).size, 1)
    const shown = unwrap(await read(world)).payload
    assert.deepEqual(
      [shown?.input, shown?.output, shown?.attributes],
      ['kept', null, { note: 'x' }],
    )
  })

  it('are damaged where a row names one that was not sealed', async () => {
    const world = await createWorld()
    await stored(world)
    const was = only(world, steps)
    const payloads = was.row.payloads.map((each) => ({ ...each, field: 'output' as const }))
    const done = await world.store.commit({
      tenant: world.owner.tenantId,
      puts: [put(steps, { ...was.row, payloads }, was)],
    })
    assert.ok(done.committed)
    await assert.rejects(read(world), { code: 'payload_damaged', message: /output.*holds none/ })
  })

  it('are opened once, and again for another step whose row names their range', async () => {
    const world = await createWorld()
    await stored(world)
    const [payload] = only(world, steps).row.payloads
    assert.ok(payload)
    const opened: (string | null)[] = []
    const placed = ['one', 'one', 'another'].map((stepId) => ({ stepId, payload }))
    await openBundle(
      { blobs: world.blobs, read: async () => [] },
      world.owner,
      payload.bundleId,
      placed,
      {
        has: () => true,
        erased: () => false,
        open(_, place) {
          opened.push(place.stepId)
          return new TextEncoder().encode('input "kept"')
        },
      },
    )
    assert.deepEqual(opened, ['one', 'another'])
  })
})

const tenant = null

function only<R extends object>({ store }: World, collection: Collection<R>): Versioned<R> {
  const [row] = store.rows(collection as unknown as Collection)
  assert.ok(row)
  return row as Versioned<R>
}

function removed<R extends object>(world: World, collection: Collection<R>) {
  const { row, version } = only(world, collection)
  return { in: collection.name, key: keyIn(collection, row), version }
}
