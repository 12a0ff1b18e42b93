import { rotationProgress, rotationReads } from '../../content/vault/rotate-tenant-key.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { requestEntry } from './audit.ts'
import { type KeyRequestCommand, moved } from './machine.ts'
import { keyRequests } from './records.ts'

/** The work item of a request that is executing, one to one. */
export const progressKind = 'keyRequestProgress'

/** How often a rotation that goes on is looked at. */
const lookEveryMs = 5_000

/** Records the end of a request whose work goes on in the background: that of the rotation of the tenant's key. */
export const keyRequestProgress: WorkHandler = {
  kind: progressKind,
  async run({ ref: requestId }, unit) {
    const [found] = await unit.read([get(keyRequests, [requestId])])
    const was = one(keyRequests, found)
    if (was?.row.status !== 'executing' || was.row.rotatesTo === null) return { next: null }
    const { tenantId, rotatesTo: keyVersion } = was.row
    const { progress, checks } = rotationProgress(await unit.read(rotationReads(tenantId)), {
      tenantId,
      keyVersion,
    })
    if (progress === 'running') return { next: unit.now + lookEveryMs }
    const ended = moved(was.row, progress === 'done' ? succeeded : stalled, unit.now)
    return {
      set: {
        checks,
        puts: [put(keyRequests, ended, was)],
        appends: [requestEntry(ended, 'system', unit.now)],
      },
      next: null,
    }
  },
}

const succeeded: KeyRequestCommand = { act: 'succeed', executed: {} }

const stalled: KeyRequestCommand = {
  act: 'fail',
  failure: {
    code: 'unavailable',
    detail: 'the rotation of the encryption key failed five times in a row; it is tried on',
  },
}
