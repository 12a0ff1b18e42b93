import { applications } from '@countersign/core/internal'
import { keyText, type Truth } from '../truth.ts'

/** Whether the rows of an application may go: its purge has begun. */
export function isPurging(
  truth: Truth,
  { tenantId, applicationId }: { readonly tenantId: string; readonly applicationId: string | null },
): boolean {
  const row = truth.rows(applications).get(keyText([tenantId, applicationId ?? '']))?.row
  return row?.lifecycleState === 'purging' || row?.lifecycleState === 'purged'
}
