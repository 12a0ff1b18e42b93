import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findLostBlobs } from '@countersign/core'
import { bundles } from '../../../content/payload-records.ts'
import { steps } from '../../../content/records.ts'
import { ingestedWorld } from './ingested.ts'
import { Killed, mortalPorts } from './mortal.ts'
import { processOn, value } from './world.ts'

const grace = 'grace@example.com'
const alan = 'alan@example.com'

/** Content of two in every form: nameless steps lie under the key of their session, or of who had it before. */
async function filled() {
  const w = await ingestedWorld()
  const { send, submit } = w
  value(await submit({ sessionId: 'sent', subject: grace, steps: [{ text: 'one' }] }))
  const named = { text: 'two', subject: grace }
  value(await submit({ sessionId: 'both', subject: alan, steps: [named, { text: 'three' }] }))
  value(await submit({ sessionId: 'mixed', steps: [named, { text: 'four' }] }))
  await send({ sessionId: 'own', text: 'five', at: 5 })
  await send({ sessionId: 'own', text: 'six', subject: grace, at: 1 })
  await send({ sessionId: 'own', text: 'seven', subject: alan, at: 7 })
  await send({ sessionId: 'moved', text: 'eight', subject: alan, at: 5 })
  await send({ sessionId: 'moved', text: 'nine', at: 6 })
  await send({ sessionId: 'moved', text: 'ten', subject: grace, at: 1 })
  value(await w.erase(grace))
  return w
}

type World = Awaited<ReturnType<typeof filled>>

/** Reads all content there is. */
async function readAll({ service, store, admin, first, blobs }: World): Promise<void> {
  const of = { applicationId: first }
  const stored = store.rows(steps).map(({ row }) => row)
  for (const { sessionId, stepId } of stored)
    value(await service.sessions.readStep(admin, { sessionId, stepId, ...of }))
  for (const sessionId of new Set(stored.map((each) => each.sessionId)))
    value(await service.evidence.read(admin, { sessionId, ...of }))
  for await (const { path } of findLostBlobs(store, blobs)) assert.fail(`${path} is lost`)
}

/** Reads all when the process of the erasure has ended at a call; whether it had not ended before. */
async function readsAt(at: number): Promise<boolean> {
  const w = await filled()
  const dying = mortalPorts(w, { at, when: 'after' })
  await processOn(dying)
    .runner.tick()
    .catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error
    })
  await readAll(w).catch((error: unknown) => assert.fail(`after call ${at}: ${String(error)}`))
  return dying.calls() >= at
}

/** Every so many calls: what an erasure leaves half done stays so for several of them. */
const stride = 4

describe('content while it is erased', () => {
  it('is read, and lost at no point', async () => {
    let at = 1
    while (await readsAt(at)) at += stride
    assert.ok(at > 80, `${at} calls`)
  })

  it('is damage where a blob is lost beside it', async () => {
    const w = await filled()
    await w.rest()
    const kept = w.store.rows(bundles).find(({ row }) => row.sessionId === 'both')
    assert.ok(kept)
    const [path = ''] = [...w.blobs.objects().keys()].filter((each) =>
      each.includes(kept.row.bundleId),
    )
    const bytes = w.blobs.objects().get(path) ?? new Uint8Array()
    for (const left of [bytes.map(() => 0), null]) {
      if (left) await w.blobs.put([{ path, bytes: left }])
      else await w.blobs.remove([path])
      const reading = w.service.sessions.readStep(w.admin, { sessionId: 'both', stepId: 'step-1' })
      await assert.rejects(reading, { code: 'payload_damaged' })
    }
  })
})
