import type { Collection, Put, Versioned } from '../ports/store.ts'
import type { Attempt } from './ledger.ts'
import { get, one, put } from './reads.ts'
import { type Refusal, refuse } from './refusal.ts'

/** What an idempotency key led to, so that a repeat answers the same and another request under the key is refused. */
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
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
}

export type ReceiptCheck =
  | { readonly kind: 'new'; readonly put: Put }
  | { readonly kind: 'repeat'; readonly subject: string }
  | { readonly kind: 'conflict'; readonly refusal: Refusal }

/** Looks up the key; a new one yields the put that belongs into the command's change set. */
export async function checkReceipt(
  attempt: Attempt,
  receipt: Omit<Receipt, 'createdAt'>,
): Promise<ReceiptCheck> {
  const key = [receipt.tenantId, receipt.scope, receipt.idempotencyKey] as const
  const [found] = await attempt.read([get(receipts, key)])
  const was: Versioned<Receipt> | null = one(receipts, found)
  if (!was) return { kind: 'new', put: put(receipts, { ...receipt, createdAt: attempt.now }, null) }
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
