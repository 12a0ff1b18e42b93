import { rotationProgress, rotationReads } from '../../content/vault/rotate-tenant-key.ts'
import { handler } from '../../kernel/work/handler.ts'
import { requestEntry } from './audit.ts'
import { type KeyRequestCommand, moved } from './machine.ts'
import { keyRequests } from './records.ts'

/** The work item of a request that is executing, one to one. */
export const progressKind = 'keyRequestProgress'

/** How often a rotation that goes on is looked at. */
const lookEveryMs = 5_000

/** Records the end of a request whose work goes on in the background: that of the rotation of the tenant's key. */
export const keyRequestProgress = handler({
  kind: progressKind,
  async run(unit, { ref: requestId }) {
    const { was } = await unit.ask({ was: keyRequests.get(requestId) })
    if (was?.row.status !== 'executing' || was.row.rotatesTo === null) return null
    const { tenantId, rotatesTo: keyVersion } = was.row
    const { progress, checks } = rotationProgress(await unit.read(rotationReads(tenantId)), {
      tenantId,
      keyVersion,
    })
    if (progress === 'running') return unit.now + lookEveryMs
    const ended = moved(was.row, progress === 'done' ? succeeded : stalled, unit.now)
    unit.put(keyRequests, ended, was)
    unit.include({ checks, appends: [requestEntry(ended, 'system', unit.now)] })
    return null
  },
})

const succeeded: KeyRequestCommand = { act: 'succeed', executed: {} }

const stalled: KeyRequestCommand = {
  act: 'fail',
  failure: {
    code: 'unavailable',
    detail: 'the rotation of the encryption key failed five times in a row; it is tried on',
  },
}
