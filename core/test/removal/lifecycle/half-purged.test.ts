import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findLostBlobs } from '@countersign/core'
import { bundles } from '../../../content/payload-records.ts'
import { purges } from '../../../removal/lifecycle/records.ts'
import { day, value } from '../erasure/world.ts'
import { due } from './remains.ts'
import { purgeProcess } from './world.ts'

/** A purge that has removed the blobs and comes no further. */
async function withoutBlobs() {
  const w = await due()
  const halted = purgeProcess(w, (handler) => ({
    ...handler,
    run: async (item, unit, owing) => {
      const step = await handler.run(item, unit, owing)
      const next = step.set?.puts?.find((each) => each.in === purges.name)?.row
      const isBeyond = (next as { progress?: { phase?: string } })?.progress?.phase === 'keys'
      return isBeyond ? { ...step, next: unit.now + 99 * day } : step
    },
  }))
  await halted.purger.tick()
  const [purge] = w.store.rows(purges)
  assert.equal(purge?.row.progress.phase, 'keys')
  const left = w.store.rows(bundles).filter(({ row }) => row.applicationId === w.first)
  assert.ok(left.length > 0, 'its rows are still there')
  return w
}

/** The sessions of blobs that an operator is told are lost. */
async function lostIn({ store, blobs }: Awaited<ReturnType<typeof due>>) {
  const lost: (string | null)[] = []
  for await (const { sessionId } of findLostBlobs(store, blobs)) lost.push(sessionId)
  return lost
}

describe('an application whose purge has come as far as the blobs', () => {
  const of = (applicationId: string) => ({ applicationId })

  it('shows its content as erased', async () => {
    const w = await withoutBlobs()
    const { sessions, evidence } = w.process.service
    assert.equal(
      value(await sessions.read(w.admin, { sessionId: 'one', ...of(w.first) })).metadata,
      null,
    )
    const document = value(await evidence.read(w.admin, { sessionId: 'one', ...of(w.first) }))
    assert.deepEqual(
      document.steps.map(({ payload, payloadStatus }) => [payload, payloadStatus]),
      [[null, 'erased']],
    )
    const kept = value(await evidence.read(w.admin, { sessionId: 'kept', ...of(w.second) }))
    assert.equal(kept.steps[0]?.payload?.input, 'content of kept')
  })

  it('has lost no blob', async () => {
    assert.deepEqual(await lostIn(await withoutBlobs()), [])
  })

  it('does not hide a loss in another application', async () => {
    const w = await withoutBlobs()
    const paths = [...w.blobs.objects().keys()]
    await w.blobs.remove(paths.filter((path) => path.includes(w.second)))
    const reading = w.process.service.evidence.read(w.admin, { sessionId: 'kept', ...of(w.second) })
    await assert.rejects(reading, { code: 'payload_damaged' })
    assert.deepEqual(await lostIn(w), ['kept'])
  })
})
