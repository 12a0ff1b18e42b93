import { collections } from '@countersign/core'
import { applications, erasureRequests } from '@countersign/core/internal'
import type { Collection } from '@countersign/core/ports'
import type { MemoryBlobs } from '@countersign/core/testing'
import type { Truth } from '../truth.ts'
import type { World } from '../world.ts'

const lastWord = 'application.purge_completed'

/** At rest every purge is over, and of its application there is nothing but what the interface names (Purge). */
export function checkPurged(world: World, truth: Truth, blobs: MemoryBlobs): void {
  for (const [key, { row }] of truth.rows(applications)) {
    const { applicationId, lifecycleState } = row
    if (lifecycleState === 'pending_deletion' || lifecycleState === 'purging')
      world.broken('every purge has an end', `${key} is still ${lifecycleState}`)
    if (lifecycleState !== 'purged') continue
    const left = (what: string) =>
      world.broken('a purge is whole', `${applicationId} is purged, and ${what} is there`)
    const { name, outcomeCallback, deletion = null, settings = null } = row
    if (name !== '' || outcomeCallback || deletion || settings || row.purgedAt === undefined)
      left('its record')
    for (const collection of collections as readonly unknown[] as readonly Collection[])
      if (!('keep' in collection.purge) && collection.name !== applications.name)
        for (const [each, { row: found }] of truth.rows(collection))
          if (!mayStay(collection.name, found) && names(found, applicationId))
            left(`${collection.name} ${each}`)
    for (const path of blobs.objects().keys())
      if (path.includes(applicationId)) left(`blob ${path}`)
  }
}

/**
 * The event itself; cursors of the system, which pass by the tombstones; and erasures of all applications, whose
 * certificates name those that had something to erase (decision 103).
 */
function mayStay(collection: string, row: object): boolean {
  if (collection === erasureRequests.name) return Reflect.get(row, 'applicationId') === null
  return Reflect.get(row, 'type') === lastWord || Reflect.get(row, 'tenantId') === null
}

const latin1 = new TextDecoder('latin1')

function names(row: object, applicationId: string): boolean {
  return JSON.stringify(row, (_, each: unknown) =>
    each instanceof Uint8Array ? latin1.decode(each) : each,
  ).includes(applicationId)
}
