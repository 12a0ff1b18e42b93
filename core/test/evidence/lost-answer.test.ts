import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreError } from '@countersign/core/ports'
import { createPackageCleanUp } from '../../evidence/packages/clean-up.ts'
import { evidencePackages } from '../../evidence/packages/records.ts'
import { commit } from '../../kernel/ledger/ledger.ts'
import { workItems } from '../../kernel/work/records.ts'
import { owingOn } from '../owing.ts'
import { packageBlobs, taken, takenWhole } from './packs.ts'
import { evidenceWorld } from './world.ts'

const dayMs = 24 * 60 * 60_000

/** The service, whose store fails in the commit that makes the record of a package; written or not. */
async function failingAtRecord(isWritten: boolean) {
  const world = await evidenceWorld()
  await world.stored()
  const { commit: commitNow } = world.store
  world.store.commit = async (set) => {
    const isRecord = set.puts?.some((each) => each.in === evidencePackages.name)
    if (!isRecord || isWritten) {
      const outcome = await commitNow(set)
      if (!isRecord) return outcome
    }
    throw new StoreError('io', 'the thread that writes ended')
  }
  const { service, actor, applicationId } = world
  const exporting = service.evidencePackages.exportBulk(actor, { applicationIds: [applicationId] })
  await assert.rejects(takenWhole(exporting), { code: 'io' })
  return world
}

test('a package whose record was written, and the answer lost, has its copy', async () => {
  const world = await failingAtRecord(true)
  const [record] = world.store.rows(evidencePackages)
  assert.ok(record)
  const { packageId, bytes } = record.row
  const copy = await world.service.evidencePackages.download(world.actor, { packageId })
  assert.equal(copy.ok && (await taken(copy.value.pieces)).length, bytes)
})

test('a package whose record was not written leaves its copy to the clean-up', async () => {
  const world = await failingAtRecord(false)
  assert.deepEqual(world.store.rows(evidencePackages), [])
  world.clock.jump(dayMs)
  const [item] = world.store.rows(workItems).filter(({ row }) => row.kind === 'evidence.package')
  assert.ok(item && item.row.due <= world.clock.now())
  const cleanUp = createPackageCleanUp(world)
  await world.ledger.execute(world.tenantId, async (unit) => {
    const { set = {} } = await cleanUp.run(item.row, unit, owingOn(world.ledger))
    return commit(set, null)
  })
  assert.deepEqual(packageBlobs(world), [])
})
