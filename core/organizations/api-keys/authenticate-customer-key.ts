import type { Versioned } from '../../base/ports/store.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { ok, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { isCompoundKey, isCustomerSecret } from './customer-key.ts'
import { createFindKey } from './find-key.ts'
import { type CustomerKey, customerKeys } from './key-records.ts'
import { hashKeyText } from './key-text.ts'

const hourMs = 3_600_000

export function authenticateCustomerKey({
  ledger,
  clock,
  observer,
}: Pick<AccessDeps, 'ledger' | 'clock' | 'observer'>): AccessUseCases['authenticateCustomerKey'] {
  const find = createFindKey(ledger, customerKeys)
  /** Keys whose use is being noted: of many concurrent requests one writes. */
  const noting = new Set<string>()

  /** Notes the hour of the last use, at most once an hour; the request does not wait. A later one makes up for a lost race. */
  async function noteUse(was: Versioned<CustomerKey>): Promise<void> {
    const hour = Math.floor(clock.now() / hourMs) * hourMs
    const { keyId, lastUsedAt, tenantId: tenant } = was.row
    if ((lastUsedAt !== null && lastUsedAt >= hour) || noting.has(keyId)) return
    noting.add(keyId)
    try {
      const noted = put(customerKeys, { ...was.row, lastUsedAt: hour }, was)
      await ledger.store.commit({ tenant, puts: [noted] })
    } finally {
      noting.delete(keyId)
    }
  }

  return async (secret, component = null) => {
    if (isCompoundKey(secret)) return noKey('its last segment alone, behind the second dot')
    if (!isCustomerSecret(secret)) return noKey()
    const found = await find(hashKeyText(secret))
    if (!found) return noKey()
    const { key, tenant } = found
    if (component !== null && component !== key.row.component)
      return noKey('in X-Key-Component the segment before it, or no such header')
    if (tenant?.status !== 'active') return accountSuspended()
    noteUse(key).catch((error) => observer.event('access.use_not_noted', { error: String(error) }))
    const { tenantId, applicationId, keyId, type, ratePerMinute } = key.row
    return ok({ kind: 'customerKey', tenantId, applicationId, keyId, type, ratePerMinute })
  }
}

function noKey(expected = ''): ReturnType<typeof refuse> {
  const more = expected && `: ${expected}`
  return refuse('authentication_required', `expected the secret of a valid customer key${more}`)
}
