import { active, applicationOf } from '../../applications/load.ts'
import type { Check, Found, Read } from '../../base/ports/store.ts'
import type { Actor } from '../../kernel/callers/actor.ts'
import { authorize, type Right } from '../../kernel/callers/authorize.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { memberOf, memberStanding } from '../../organizations/access/standing.ts'
import { applicationKeys } from '../../organizations/api-keys/key-records.ts'

/** The actor by current rows, and the checks that these stay unchanged until the commit. */
export interface Standing {
  readonly actor: Actor
  readonly checks: readonly Check[]
}

/** The reads whose answers `standingOf` takes. */
export function standingReads(actor: Actor): readonly Read[] {
  switch (actor.kind) {
    case 'system':
    // Customer keys and staff have no right to cases, which `standingOf` tells.
    case 'customerKey':
    case 'staff':
      return []
    case 'member':
      return actor.guest ? [] : [memberOf(actor)]
    case 'application':
      return [
        get(applicationKeys, [actor.tenantId, actor.applicationId, actor.keyId]),
        applicationOf(actor.tenantId, actor.applicationId),
      ]
  }
}

/**
 * Authorizes the actor by current rows: nothing succeeds after the commit that suspends a member, takes their right,
 * revokes a key or starts an application's deletion.
 */
export function standingOf(actor: Actor, right: Right, found: readonly Found[]): Result<Standing> {
  switch (actor.kind) {
    case 'system':
      return ok({ actor, checks: [] })
    case 'customerKey':
    case 'staff': {
      const allowed = authorize(actor, right)
      return allowed.ok ? ok({ actor, checks: [] }) : allowed
    }
    case 'member': {
      // A guest belongs to another tenant and only reads, so there is no row to check.
      if (actor.guest) {
        const allowed = authorize(actor, right)
        return allowed.ok ? ok({ actor, checks: [] }) : allowed
      }
      const standing = memberStanding(actor, right, found[0])
      if (!standing.ok) return standing
      return ok({ actor: standing.value.actor, checks: [standing.value.check] })
    }
    case 'application': {
      const { tenantId, applicationId, keyId } = actor
      const key = one(applicationKeys, found[0])
      if (!key || key.row.revokedAt !== null)
        return refuse('authentication_required', 'the application key is no longer valid')
      const allowed = authorize(actor, right)
      if (!allowed.ok) return allowed
      const application = active(found[1])
      if (!application.ok) return application
      const checks: readonly Check[] = [
        { in: applicationKeys.name, key: [tenantId, applicationId, keyId], version: key.version },
        applicationCheck(tenantId, applicationId, application.value.version),
      ]
      return ok({ actor, checks })
    }
  }
}

export function applicationCheck(tenantId: string, applicationId: string, version: number): Check {
  return { in: 'applications', key: [tenantId, applicationId], version }
}
