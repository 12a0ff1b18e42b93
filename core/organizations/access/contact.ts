import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { tenants } from './records.ts'

/** The contact address of an organization's profile; null for an unknown or deleted organization. */
export async function contactOf(
  unit: Pick<UnitOfWork, 'read'>,
  tenantId: string,
): Promise<string | null> {
  const [found] = await unit.read([get(tenants, [tenantId])])
  return one(tenants, found)?.row.contactEmail || null
}
