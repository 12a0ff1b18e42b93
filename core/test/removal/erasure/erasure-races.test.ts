import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeSet } from '@countersign/core/ports'
import { createManualClock } from '@countersign/core/testing'
import { steps } from '../../../content/records.ts'
import { type ErasureRequest, erasureRequests } from '../../../removal/erasure/records.ts'
import {
  hour,
  memoryPorts,
  organization,
  type Process,
  processOn,
  readable,
  start,
  storeSession,
  value,
} from './world.ts'

/** The commit that destroys the subject's keys. */
const begins = ({ puts = [] }: ChangeSet) =>
  puts.some(
    ({ in: name, row, was }) =>
      name === erasureRequests.name &&
      (row as ErasureRequest).begunAt !== null &&
      (was?.row as ErasureRequest | undefined)?.begunAt === null,
  )

/** An erasure whose beginning a session of its subject meets, by a machine whose clock is `ahead` by so many ms. */
async function meeting(when: 'before' | 'after', ahead: number) {
  const ports = memoryPorts()
  let store = (): Promise<void> => Promise.resolve()
  const once = async (set: ChangeSet, at: 'before' | 'after') => {
    if (at === when && begins(set)) await store()
  }
  const process = processOn({
    ...ports,
    store: {
      ...ports.store,
      async commit(set) {
        await once(set, 'before')
        const outcome = await ports.store.commit(set)
        await once(set, 'after')
        return outcome
      },
    },
  })
  const other = processOn({ ...ports, clock: createManualClock(start + ahead) })
  const { tenantId, first, admin } = await organization(process.service)
  const keep = (by: Process, sessionId: string) =>
    storeSession(by, {
      tenantId,
      applicationId: first,
      sessionId,
      subject: 'grace',
      steps: [{ stepId: 'a', text: `of ${sessionId}` }],
    })
  await keep(process, 'known')
  store = () => keep(other, 'meets')
  value(
    await process.service.erasureRequests.create(admin, {
      dataSubjectId: 'grace',
      reason: 'objection',
      confirm: true,
    }),
  )
  await process.runner.tick()
  const requests = ports.store.rows(erasureRequests)
  assert.deepEqual(
    requests.map((one) => one.row.status),
    ['completed'],
  )
  const row = ports.store.rows(steps).find((one) => one.row.sessionId === 'meets')?.row
  assert.ok(row, 'no session met the erasure')
  const texts = await readable(process, tenantId)
  return { status: row.payloadStatus, texts, objects: ports.blobs.objects().size }
}

describe('a session that meets the beginning of its subject’s erasure', () => {
  for (const ahead of [-hour, -5, 0, 5, hour]) {
    it(`is erased, and says so, when it came before (clock ${ahead} ms ahead)`, async () => {
      assert.deepEqual(await meeting('before', ahead), { status: 'erased', texts: [], objects: 0 })
    })

    it(`stays when it came after (clock ${ahead} ms ahead)`, async () => {
      assert.deepEqual(await meeting('after', ahead), {
        status: 'readable',
        texts: ['meets a input: of meets', 'meets a output: of meets, answered'],
        objects: 1,
      })
    })
  }
})
