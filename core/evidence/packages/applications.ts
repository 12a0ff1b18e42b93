import { applicationOf } from '../../applications/load.ts'
import { type Application, applications } from '../../applications/records.ts'
import { evidenceLimits } from '../../kernel/ledger/limits.ts'
import type { Reader } from '../../kernel/ledger/pages.ts'
import { one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'

/** The ids without doubles. Refuses with `invalid_request` for none and for more than 20. */
export function checkApplicationIds(ids: readonly string[]): Result<readonly string[]> {
  const asked = [...new Set(ids)]
  const most = evidenceLimits.applicationsPerExport
  if (asked.length >= 1 && asked.length <= most) return ok(asked)
  const detail = `applicationIds: expected 1 to ${most} applications, got ${asked.length}`
  const error = { code: 'invalid_value', detail, pointer: '/applicationIds', parameter: null }
  return refuse('invalid_request', detail, { errors: [error] })
}

/** Those of the applications that packages may have: the tenant's, and none that is being deleted. */
export async function accessibleOf(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly Application[]> {
  const found = await reader.read(ids.map((id) => applicationOf(tenantId, id)))
  return found.flatMap((each) => {
    const row = one(applications, each)?.row
    return row?.lifecycleState === 'active' ? row : []
  })
}
