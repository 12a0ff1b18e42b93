import type { Versioned } from '../../base/ports/store.ts'
import { get, list, one, put } from '../../kernel/ledger/reads.ts'
import { ok, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { tenants } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { isCompoundKey, isCustomerSecret } from './customer-key.ts'
import { type CustomerKey, customerKeys } from './key-records.ts'
import { hashKeyText } from './key-text.ts'

type Owner = readonly [tenantId: string, keyId: string]

/** Hashes whose owner is remembered. */
const mostOwners = 10_000
const hourMs = 3_600_000

/**
 * Reads the store at each request, so that a revoked key fails from the next one on. Only the owner of a key, which
 * never changes, is cached: all but a key's first request cost one read.
 */
export function authenticateCustomerKey({
  ledger,
  clock,
  observer,
}: Pick<AccessDeps, 'ledger' | 'clock' | 'observer'>): AccessUseCases['authenticateCustomerKey'] {
  const owners = new Map<string, Owner>()
  /** Keys whose use is being noted: of many requests at once, one writes. */
  const noting = new Set<string>()

  async function ownerOf(hash: string): Promise<Owner | null> {
    const byHash = list(customerKeys, { where: [['hash', '=', hash]], take: 1 })
    const [found] = await ledger.read(null, [byHash])
    const key = one(customerKeys, found)?.row
    if (!key || key.revokedAt !== null) return null
    const [oldest] = owners.size < mostOwners ? [] : owners.keys()
    if (oldest !== undefined) owners.delete(oldest)
    const owner: Owner = [key.tenantId, key.keyId]
    owners.set(hash, owner)
    return owner
  }

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
    const hash = hashKeyText(secret)
    const owner = owners.get(hash) ?? (await ownerOf(hash))
    if (!owner) return noKey()
    const [tenantId] = owner
    const [foundKey, foundTenant] = await ledger.read(tenantId, [
      get(customerKeys, owner),
      get(tenants, [tenantId]),
    ])
    const key = one(customerKeys, foundKey)
    if (key?.row.hash !== hash || key.row.revokedAt !== null) {
      owners.delete(hash)
      return noKey()
    }
    if (component !== null && component !== key.row.component)
      return noKey('in X-Key-Component the segment before it, or no such header')
    if (one(tenants, foundTenant)?.row.status !== 'active') return accountSuspended()
    noteUse(key).catch((error) => observer.event('access.use_not_noted', { error: String(error) }))
    const { applicationId, keyId, type, ratePerMinute } = key.row
    return ok({ kind: 'customerKey', tenantId, applicationId, keyId, type, ratePerMinute })
  }
}

function noKey(expected = ''): ReturnType<typeof refuse> {
  const more = expected && `: ${expected}`
  return refuse('authentication_required', `expected the secret of a valid customer key${more}`)
}
