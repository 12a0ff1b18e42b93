import { audit } from '../ledger/audit.ts'
import { checkName } from '../ledger/check-text.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { longest } from '../ledger/limits.ts'
import { get, put } from '../ledger/reads.ts'
import { refuse } from '../ledger/refusal.ts'
import { actorName } from './actor.ts'
import type { AccessDeps } from './deps.ts'
import { executeAsStaff } from './execute-as.ts'
import { tenantStatusView } from './present.ts'
import { type Tenant, tenants } from './records.ts'
import { changeableTenant } from './standing.ts'
import type { AccessUseCases } from './use-cases.ts'

const actions: Readonly<Record<Tenant['status'], string>> = {
  suspended: 'tenant.suspended',
  active: 'tenant.resumed',
}

/** Suspends an organization, or ends its suspension. Each request reads the status anew, so no session is ended. */
export function changeStatus(
  { ledger }: AccessDeps,
  to: Tenant['status'],
): AccessUseCases['suspendTenant'] {
  return async (actor, tenantId, { reason }) => {
    const malformed = refuseErrors(checkName(reason, '/reason', longest.staffReason))
    const command = { actor, right: 'suspendTenants', tenantId } as const
    return executeAsStaff(ledger, command, async ({ now, read }, staff) => {
      if (malformed) return refusal(malformed)
      const [found] = await read([get(tenants, [tenantId])])
      const was = changeableTenant(found)
      if (!was) return refusal(refuse('not_found', 'no such organization'))
      if (was.row.status === to) return answer(tenantStatusView(was.row))
      const by = actorName(staff)
      const statusChange = { at: now, by, reason: reason.trim() }
      const tenant: Tenant = { ...was.row, status: to, statusChange, updatedAt: now }
      return commit(
        {
          puts: [put(tenants, tenant, was)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: by,
              action: actions[to],
              subject: tenantId,
              detail: {},
            }),
          ],
        },
        tenantStatusView(tenant),
      )
    })
  }
}
