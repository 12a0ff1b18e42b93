import { newId } from '../../kernel/ledger/ids.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { PackageDeps } from '../deps.ts'
import type { StreamedFile } from '../exports.ts'
import type { Archives } from '../outputs.ts'
import type { PackageOrder, PackTally } from './order.ts'
import { streamPackage } from './stream-package.ts'

/** How long a package is kept, ms; another time where its order says so. */
export const keptMs: number = 7 * 24 * 60 * 60_000

/** Begins a package; nothing is read or written before its first piece is asked for. */
export async function startPackage(
  deps: PackageDeps,
  archives: Archives,
  order: PackageOrder,
): Promise<StreamedFile> {
  const { member, packType } = order
  const { tenantId } = member
  const now = deps.clock.now()
  const signer = await deps.signers.signer(tenantId)
  const packageId = newId('exp', now, deps.random)
  const fileName = `countersign-${packType}-${packageId}.zip`
  const tally: PackTally = {
    ...{ sessionCount: 0, keys: new Map(), named: new Set() },
    auditLog: null,
  }
  const pieces = streamPackage(deps, archives, {
    ...order,
    head: { packType, packageId, tenantId, createdAt: isoTime(now), scope: order.scope },
    fileName,
    createdAt: now,
    signer,
    tally,
    members: order.members({ now, packageId, signer, tally }),
  })
  return { packageId, fileName, mediaType: 'application/zip', pieces }
}

/** The refusal of a host that makes no archives. */
export function noArchives(): Result<StreamedFile> {
  return refuse('unavailable', 'this deployment makes no archives')
}
