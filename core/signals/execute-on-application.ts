import { type Actor, actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { active, applicationOf, existing } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import { type AuditEntry, audit } from '../ledger/audit.ts'
import { type Errors, refuseErrors } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { type Ledger, type Plan, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { get, one, unchanged } from '../ledger/reads.ts'
import { ok, type Result } from '../ledger/refusal.ts'
import type { Collection, Versioned } from '../ports/store.ts'

/** An application's row of one collection, which the actor may change. */
export interface LoadedOnApplication<R extends object> {
  readonly unit: UnitOfWork
  readonly tenantId: string
  readonly was: Versioned<R> | null
  /** The actor's name in histories. */
  readonly by: string
  readonly audited: (action: string, detail: AuditEntry['detail']) => ReturnType<typeof audit>
}

/** Runs a command on an application's row: its application must be active, also at the commit. */
export async function executeOnApplication<R extends object, T>(
  { ledger }: { readonly ledger: Ledger },
  asked: {
    readonly actor: Actor
    readonly applicationId: string
    readonly collection: Collection<R>
    readonly errors: Errors
  },
  plan: (loaded: LoadedOnApplication<R>) => Promise<Plan<T>> | Plan<T>,
): Promise<Result<T>> {
  const { actor, applicationId, collection, errors } = asked
  const right = 'managePolicies'
  const member = authorizeMember(actor, right)
  if (!member.ok) return member
  const malformed = refuseErrors(errors)
  if (malformed) return malformed
  return executeAs<T>(ledger, actor, right, async (unit, { tenantId }) => {
    const [applied, found] = await unit.read([
      applicationOf(tenantId, applicationId),
      get(collection, [tenantId, applicationId]),
    ])
    const application = active(applied)
    if (!application.ok) return refusal(application)
    const by = actorName(actor)
    const planned = await plan({
      unit,
      tenantId,
      was: one(collection, found),
      by,
      audited: (action, detail) =>
        audit(tenantId, {
          at: isoTime(unit.now),
          actor: by,
          action,
          subject: applicationId,
          detail,
        }),
    })
    if (planned.kind !== 'commit') return planned
    const check = unchanged(applications, application.value)
    return { ...planned, set: { ...planned.set, checks: [...(planned.set.checks ?? []), check] } }
  })
}

/** The application's row of one collection, for a member who may read rules. */
export async function readOfApplication<R extends object>(
  { ledger }: { readonly ledger: Ledger },
  actor: Actor,
  applicationId: string,
  collection: Collection<R>,
): Promise<Result<Versioned<R> | null>> {
  const member = authorizeMember(actor, 'readPolicies')
  if (!member.ok) return member
  const { tenantId } = member.value
  const [applied, found] = await ledger.read(tenantId, [
    applicationOf(tenantId, applicationId),
    get(collection, [tenantId, applicationId]),
  ])
  const application = existing(applied)
  return application.ok ? ok(one(collection, found)) : application
}
