import type { WorkItem } from '../../kernel/work/records.ts'

export const governanceKind = 'application.governance'

/** The work item that computes an application's governance. `due`: ms. */
export function governanceItem(
  { tenantId, applicationId }: { readonly tenantId: string; readonly applicationId: string },
  due: number,
): Omit<WorkItem, 'claims' | 'state'> {
  return { kind: governanceKind, ref: applicationId, tenantId, applicationId, due }
}
