import type { Found, Put, Read } from '../../base/ports/store.ts'
import { line, type RowsOf, stored, time } from '../shape.ts'
import { table } from '../table.ts'
import { longest } from './limits.ts'
import { get, one, put } from './reads.ts'
import { type Refusal, refuse } from './refusal.ts'

/**
 * Results of requests under idempotency keys: a repeat gets the same answer, another request under the key is refused.
 * A key is remembered for 30 days (interface, Limits).
 */
export const receipts = table({
  name: 'receipts',
  members: {
    tenantId: line(longest.id),
    applicationId: line(longest.id),
    /** The operation and its caller; one key may serve several operations. */
    scope: stored<string>('text'),
    idempotencyKey: stored<string>('text'),
    /** Hex SHA-256 of the request as it was understood. */
    fingerprint: stored<string>(),
    /** The id of what the request made. */
    subject: stored<string>(),
    createdAt: time,
  },
  key: ['tenantId', 'scope', 'idempotencyKey'],
  indexes: { byApplication: ['applicationId'], byAge: ['createdAt'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { by: 'createdAt', days: 30 },
})
/** The result of a request under an idempotency key. */
export interface Receipt extends RowsOf<typeof receipts.members> {}

/** What an idempotency key means for a request. */
export type ReceiptCheck =
  | { readonly kind: 'new'; readonly put: Put }
  | { readonly kind: 'repeat'; readonly subject: string }
  | { readonly kind: 'conflict'; readonly refusal: Refusal }

/** The read whose answer `checkReceipt` takes. */
export function receiptOf({
  tenantId,
  scope,
  idempotencyKey,
}: Pick<Receipt, 'tenantId' | 'scope' | 'idempotencyKey'>): Read {
  return get(receipts, [tenantId, scope, idempotencyKey])
}

/**
 * Checks the key against the receipt read by `receiptOf`; for a new key returns the put for the command's change set.
 */
export function checkReceipt(found: Found | undefined, receipt: Receipt): ReceiptCheck {
  const was = one(receipts, found)
  if (!was) return { kind: 'new', put: put(receipts, receipt, null) }
  if (was.row.fingerprint === receipt.fingerprint)
    return { kind: 'repeat', subject: was.row.subject }
  return {
    kind: 'conflict',
    ...refuse(
      'idempotency_conflict',
      `idempotencyKey ${JSON.stringify(receipt.idempotencyKey)} was used before with another request`,
    ),
  }
}
