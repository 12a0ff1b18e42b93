import { ok, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { hashApplicationKey, isApplicationKey } from './application-key.ts'
import { createFindKey } from './find-key.ts'
import { applicationKeys } from './key-records.ts'

export function authenticateApplication({
  ledger,
}: AccessDeps): AccessUseCases['authenticateApplication'] {
  const find = createFindKey(ledger, applicationKeys)
  return async (value) => {
    const found = isApplicationKey(value) ? await find(hashApplicationKey(value)) : null
    if (!found)
      return refuse('authentication_required', 'expected a valid application key (svc_app_…)')
    if (found.tenant?.status !== 'active') return accountSuspended()
    const { tenantId, applicationId, keyId } = found.key.row
    return ok({ kind: 'application', tenantId, applicationId, keyId })
  }
}
