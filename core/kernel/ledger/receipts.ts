import type { Collection, Found, Put, Read, Versioned } from '../../base/ports/store.ts'
import { get, one, put } from './reads.ts'
import { type Refusal, refuse } from './refusal.ts'

/**
 * The result of a request under an idempotency key: a repeat gets the same answer, another request under the key is
 * refused.
 */
export interface Receipt {
  readonly tenantId: string
  readonly applicationId: string
  /** The operation and its caller; one key may serve several operations. */
  readonly scope: string
  readonly idempotencyKey: string
  /** Hex SHA-256 of the request as it was understood. */
  readonly fingerprint: string
  /** The id of what the request made. */
  readonly subject: string
  readonly createdAt: number
}

/** A key is remembered for 30 days (interface, Limits). */
export const receipts: Collection<Receipt> = {
  name: 'receipts',
  key: ['tenantId', 'scope', 'idempotencyKey'],
  columns: {
    tenantId: 'text',
    scope: 'text',
    idempotencyKey: 'text',
    applicationId: 'text',
    createdAt: 'int',
  },
  indexes: { byApplication: ['applicationId'], byAge: ['createdAt'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { by: 'createdAt', days: 30 },
}

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
  const was: Versioned<Receipt> | null = one(receipts, found)
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
