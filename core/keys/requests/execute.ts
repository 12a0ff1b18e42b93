import { keyRevoked } from '../../applications/customer-keys.ts'
import { issuing } from '../../applications/new-customer-key.ts'
import type { ChangeSet } from '../../base/ports/store.ts'
import {
  retryRotation,
  rotationProgress,
  rotationReads,
  startRotation,
} from '../../content/vault/rotate-tenant-key.ts'
import type { TenantKeyRing } from '../../content/vault/tenant-keys.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one, put, unchanged } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { Refused } from '../../kernel/query.ts'
import { customerKeys } from '../../organizations/api-keys/key-records.ts'
import type { Executed } from './machine.ts'
import type { KeyRequest } from './records.ts'

/** What executing requests needs. */
export interface KeyRequestTools {
  /** Makes the tenants' encryption keys. */
  readonly ring: TenantKeyRing
}

/** What an execution changes beside the request, and what came of it. */
export interface Effect {
  readonly set: Pick<ChangeSet, 'checks' | 'puts' | 'appends'>
  /** Null where work goes on in the background. */
  readonly executed: Executed | null
  readonly rotatesTo?: number
}

/** What executing a request does, by the staff named; a refusal is why it fails. */
export async function effectOf(
  { ring }: KeyRequestTools,
  unit: UnitOfWork,
  request: KeyRequest,
  by: string,
): Promise<Result<Effect>> {
  switch (request.action) {
    case 'issue-customer-key':
    case 'issue-secondary-key':
      return promiseKey(unit, request)
    case 'revoke-key':
      return revoke(unit, request, by)
    case 'rotate-tenant-key':
      return rotate(ring, unit, request, by)
  }
}

/** Reserves the key's id; the key is made when its value is revealed. */
async function promiseKey(
  unit: UnitOfWork,
  { tenantId, applicationId }: KeyRequest,
): Promise<Result<Effect>> {
  const { reads, of, checks } = issuing(tenantId, applicationId ?? '')
  const found = await unit.read(reads)
  const issue = of(found)
  if (issue instanceof Refused) return { ok: false, refusal: issue.refusal }
  return ok({ set: { checks: checks(found) }, executed: { issuedKeyId: unit.id('key') } })
}

async function revoke(
  { now, read }: UnitOfWork,
  { tenantId, keyId }: KeyRequest,
  by: string,
): Promise<Result<Effect>> {
  const [found] = await read([get(customerKeys, [tenantId, keyId ?? ''])])
  const was = one(customerKeys, found)
  if (!was) return refuse('not_found', 'the customer key is gone with its application')
  if (was.row.revokedAt !== null) {
    return ok({ set: { checks: [unchanged(customerKeys, was)] }, executed: {} })
  }
  const key = { ...was.row, revokedAt: now }
  const set = { puts: [put(customerKeys, key, was)], appends: [keyRevoked(key, now, by)] }
  return ok({ set, executed: {} })
}

/** Begins the rotation, or takes up the one that an earlier execution began. */
async function rotate(
  ring: TenantKeyRing,
  unit: UnitOfWork,
  { tenantId, rotatesTo }: KeyRequest,
  by: string,
): Promise<Result<Effect>> {
  const found = await unit.read(rotationReads(tenantId))
  if (rotatesTo !== null) {
    const { progress, checks } = rotationProgress(found, { tenantId, keyVersion: rotatesTo })
    if (progress === 'stalled')
      return ok({ set: { puts: retryRotation(found, unit.now) }, executed: null })
    return ok({ set: { checks }, executed: progress === 'done' ? {} : null })
  }
  const started = startRotation(unit, ring, found, { tenantId, actor: by })
  if (!started.ok) return started
  const { set, keyVersion } = started.value
  return ok({ set, executed: null, rotatesTo: keyVersion })
}
