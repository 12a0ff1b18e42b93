import { get, list, one } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import { hashApplicationKey, isApplicationKey } from './application-key.ts'
import type { AccessPorts } from './ports.ts'
import { applicationKeys, tenants } from './records.ts'
import { accountSuspended } from './sessions.ts'
import type { AccessUseCases } from './use-cases.ts'

/** The store is asked at each request, so that a revoked key is worth nothing from the next one on. */
export function authenticateApplication({
  ledger,
}: AccessPorts): AccessUseCases['authenticateApplication'] {
  return async (value) => {
    if (!isApplicationKey(value)) return noKey()
    const byHash = list(applicationKeys, {
      where: [['hash', '=', hashApplicationKey(value)]],
      take: 1,
    })
    const [foundKey] = await ledger.read(null, [byHash])
    const key = one(applicationKeys, foundKey)?.row
    if (!key || key.revokedAt !== null) return noKey()
    const { tenantId, applicationId, keyId } = key
    const [foundTenant] = await ledger.read(tenantId, [get(tenants, [tenantId])])
    if (one(tenants, foundTenant)?.row.status !== 'active') return accountSuspended()
    return ok({ kind: 'application', tenantId, applicationId, keyId })
  }
}

function noKey(): ReturnType<typeof refuse> {
  return refuse('authentication_required', 'expected a valid application key (svc_app_…)')
}
