import { bytesToHex } from '@noble/hashes/utils.js'
import type { LogEntry } from '../../base/ports/store.ts'
import { chainStart } from '../../base/store-kit/log-chain.ts'
import { type AuditLeaf, batches } from '../../content/seal-records.ts'
import { auditLog } from '../../kernel/ledger/audit.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, one } from '../../kernel/ledger/reads.ts'
import { leafOf } from './record.ts'

/** The record that the leaf of an audit log's head hashes. */
export interface AuditRecord {
  readonly leafType: 'audit-log'
  readonly recordVersion: '1.0'
  readonly tenantId: string
  readonly position: number
  readonly hash: string
}

export function auditRecordOf(
  tenantId: string,
  { position, hash }: Pick<AuditLeaf, 'position' | 'hash'>,
): AuditRecord {
  return { leafType: 'audit-log', recordVersion: '1.0', tenantId, position, hash }
}

/** The leaf of the newest entry of a tenant's audit log: a batch commits to all entries up to it. */
export async function auditLeafOf(
  { read }: Pick<UnitOfWork, 'read'>,
  tenantId: string,
): Promise<AuditLeaf> {
  const log = { log: auditLog.name, partition: tenantId }
  const [end] = await read([{ ...log, after: 0, take: 0 }])
  const position = end?.total ?? 0
  const [found] = position === 0 ? [] : await read([{ ...log, after: position - 1, take: 1 }])
  const entry = found?.rows[0]?.row as LogEntry | undefined
  const head = { position, hash: bytesToHex(entry?.hash ?? chainStart) }
  return { leafType: 'audit-log', ...head, leafHash: leafOf(auditRecordOf(tenantId, head)) }
}

/** Whether a tenant's batches have no leaf yet of this head of its audit log, nor of a later one. */
export async function isNewHead(
  { read }: Pick<UnitOfWork, 'read'>,
  tenantId: string,
  { position }: AuditLeaf,
): Promise<boolean> {
  const where = [['tenantId', '=', tenantId] as const, ['auditPosition', '>=', 0] as const]
  const [found] = await read([
    list(batches, { by: 'byAuditPosition', where, newest: true, take: 1 }),
  ])
  return position > (one(batches, found)?.row.auditPosition ?? -1)
}
