import { get, list, one } from '../../kernel/ledger/reads.ts'
import { ok, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { tenants } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { hashApplicationKey, isApplicationKey } from './application-key.ts'
import { applicationKeys } from './key-records.ts'

type Owner = readonly [tenantId: string, applicationId: string, keyId: string]

/** Hashes whose owner is remembered. */
const mostOwners = 10_000

/**
 * Reads the store at each request, so that a revoked key fails from the next one on. Only the owner of a key, which
 * never changes, is cached: all but a key's first request cost one read.
 */
export function authenticateApplication({
  ledger,
}: AccessDeps): AccessUseCases['authenticateApplication'] {
  const owners = new Map<string, Owner>()

  async function ownerOf(hash: string): Promise<Owner | null> {
    const byHash = list(applicationKeys, { where: [['hash', '=', hash]], take: 1 })
    const [found] = await ledger.read(null, [byHash])
    const key = one(applicationKeys, found)?.row
    if (!key || key.revokedAt !== null) return null
    const [oldest] = owners.size < mostOwners ? [] : owners.keys()
    if (oldest !== undefined) owners.delete(oldest)
    const owner: Owner = [key.tenantId, key.applicationId, key.keyId]
    owners.set(hash, owner)
    return owner
  }

  return async (value) => {
    if (!isApplicationKey(value)) return noKey()
    const hash = hashApplicationKey(value)
    const owner = owners.get(hash) ?? (await ownerOf(hash))
    if (!owner) return noKey()
    const [tenantId, applicationId, keyId] = owner
    const [foundKey, foundTenant] = await ledger.read(tenantId, [
      get(applicationKeys, owner),
      get(tenants, [tenantId]),
    ])
    const key = one(applicationKeys, foundKey)?.row
    if (key?.hash !== hash || key.revokedAt !== null) {
      owners.delete(hash)
      return noKey()
    }
    if (one(tenants, foundTenant)?.row.status !== 'active') return accountSuspended()
    return ok({ kind: 'application', tenantId, applicationId, keyId })
  }
}

function noKey(): ReturnType<typeof refuse> {
  return refuse('authentication_required', 'expected a valid application key (svc_app_…)')
}
