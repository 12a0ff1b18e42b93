import type { Where } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import type { Unit } from '../../kernel/unit.ts'
import { erasureRequests, holdBoards } from '../../removal/erasure/records.ts'
import type { PackageOrder, PackTally } from './order.ts'

/** Ids of a tenant's erasures that have ended: what they took is in no export that begins now. */
export async function endedErasures(
  reader: Reader,
  tenantId: string,
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>()
  const where: Where = [
    ['tenantId', '=', tenantId],
    ['underWay', '=', 0],
  ]
  for await (const { erasureRequestId } of rowsOf(reader, erasureRequests, {
    where,
    by: 'byState',
  }))
    ended.add(erasureRequestId)
  return ended
}

/** An export, and the erasures that had ended when it began. */
export interface ErasedExport extends Pick<PackageOrder, 'erasures' | 'applicationIds'> {
  readonly tenantId: string
  readonly tally: PackTally
  readonly ended: ReadonlySet<string>
}

/**
 * Whether an erasure of somebody whose data an export has was at work while it was made; that none was is a check of the
 * commit. One that begins later removes the package by itself.
 */
export async function wasErased(
  unit: Pick<Unit<MemberActor, RefusalCode>, 'ask' | 'read'>,
  { tenantId, erasures, applicationIds, tally, ended }: ErasedExport,
): Promise<boolean> {
  // Before the erasures: one that begins while they are read changes the board.
  await unit.ask({ board: holdBoards.get(tenantId) })
  const isNamed = (dataSubjectId: string, applicationId: string) =>
    erasures
      ? erasures.dataSubjectId === null || erasures.dataSubjectId === dataSubjectId
      : tally.named.has(JSON.stringify([applicationId, dataSubjectId]))
  const where: Where = [['tenantId', '=', tenantId]]
  for await (const request of rowsOf(unit, erasureRequests, { where, by: 'byTenant' })) {
    if (request.begunAt === null || ended.has(request.erasureRequestId)) continue
    const concerned = applicationIds.some(
      (applicationId) =>
        request.applicationIds.includes(applicationId) &&
        isNamed(request.dataSubjectId, applicationId),
    )
    if (concerned) return true
  }
  return false
}
