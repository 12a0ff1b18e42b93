import { actorName } from '../access/actor.ts'
import { executeAs } from '../access/execute-as.ts'
import { tenants } from '../access/records.ts'
import { decideLifecycle } from '../applications/lifecycle.ts'
import { applicationOf, existing } from '../applications/load.ts'
import { type Application, applications, purgeKind } from '../applications/records.ts'
import type { ApplicationUseCases } from '../applications/use-cases.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import { refuse } from '../ledger/refusal.ts'
import { judgeAgain, judgementItemOf } from '../signals/judgement/item.ts'
import { schedule, workItems } from '../work/records.ts'
import { deletionCancelledMail, deletionMail } from './deletion-mail.ts'
import type { LifecycleDeps } from './deps.ts'
import { holdsOfApplications } from './holds.ts'
import { presentApplication } from './present.ts'

const right = 'deleteApplications'

/** Starts the grace period. Of its data nothing but the application's own row changes, so that a cancel restores it. */
export function requestDeletion(deps: LifecycleDeps): ApplicationUseCases['requestDeletion'] {
  return async (actor, applicationId) => {
    const asked = await executeAs<Application>(deps.ledger, actor, right, async (unit, member) => {
      const { tenantId } = member
      const [found, item, judgement] = await unit.read([
        applicationOf(tenantId, applicationId),
        get(workItems, [purgeKind, applicationId]),
        judgementItemOf(tenantId),
      ])
      const loaded = existing(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const { held, check } = await holdsOfApplications(unit, tenantId, [applicationId])
      const by = actorName(member)
      const purgeAt = unit.now + deps.deletionGraceMs
      const decided = decideLifecycle(
        was.row,
        { type: 'request_deletion', by, purgeAt, held: held.has(applicationId) },
        unit.now,
      )
      if (!decided.ok) return refusal(decided)
      if (decided.value === was.row) return answer(was.row)
      // Null: the purge's own item does not go with the application's.
      const due = { kind: purgeKind, ref: applicationId, tenantId, applicationId: null }
      return commit(
        {
          checks: [check],
          puts: [
            put(applications, decided.value, was),
            schedule({ ...due, due: purgeAt }, one(workItems, item)),
            ...judgeAgain({ tenantId, now: unit.now }, judgement),
            ...deletionMail(deps.post, unit, {
              tenantId,
              ...named(was.row),
              by: 'an admin',
              purgeAt,
            }),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: by,
              action: 'application.deletion_requested',
              subject: applicationId,
              detail: { purgeAt: isoTime(purgeAt) },
            }),
          ],
        },
        decided.value,
      )
    })
    return presentApplication(deps, asked)
  }
}

/** Ends the grace period as if it had never begun. */
export function cancelDeletion(deps: LifecycleDeps): ApplicationUseCases['cancelDeletion'] {
  return async (actor, applicationId) => {
    const asked = await executeAs<Application>(deps.ledger, actor, right, async (unit, member) => {
      const { tenantId } = member
      const [found, item, owner, judgement] = await unit.read([
        applicationOf(tenantId, applicationId),
        get(workItems, [purgeKind, applicationId]),
        get(tenants, [tenantId]),
        judgementItemOf(tenantId),
      ])
      const loaded = existing(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const tenant = one(tenants, owner)
      if (tenant?.row.deletion)
        return refusal(
          refuse('invalid_transition', 'the organization is being deleted, with its applications'),
        )
      const decided = decideLifecycle(was.row, { type: 'cancel_deletion' }, unit.now)
      if (!decided.ok) return refusal(decided)
      const scheduled = one(workItems, item)
      const own = { in: workItems.name, key: [purgeKind, applicationId] } as const
      return commit(
        {
          checks: [{ in: tenants.name, key: [tenantId], version: tenant?.version ?? 0 }],
          puts: [
            put(applications, decided.value, was),
            ...judgeAgain({ tenantId, now: unit.now }, judgement),
            ...deletionCancelledMail(deps.post, unit, { tenantId, ...named(was.row) }),
          ],
          removes: scheduled ? [{ ...own, version: scheduled.version }] : [],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: actorName(member),
              action: 'application.deletion_cancelled',
              subject: applicationId,
              detail: {},
            }),
          ],
        },
        decided.value,
      )
    })
    return presentApplication(deps, asked)
  }
}

function named({ name, applicationId }: Application) {
  return { name, what: `the application ${name} (${applicationId})` }
}
