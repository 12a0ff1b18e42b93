import { tenantOf } from '../../kernel/callers/actor.ts'
import { checkFeature as included } from '../../kernel/callers/plans.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from './deps.ts'
import { tenants } from './records.ts'
import type { AccessUseCases } from './use-cases.ts'

export function checkFeature({ ledger }: AccessDeps): AccessUseCases['checkFeature'] {
  return async (actor, feature) => {
    const tenantId = tenantOf(actor)
    if (tenantId === null) return ok(null)
    const [found] = await ledger.read(tenantId, [get(tenants, [tenantId])])
    return included(one(tenants, found)?.row, feature)
  }
}
