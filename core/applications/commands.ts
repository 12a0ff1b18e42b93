import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { tenants } from '../access/records.ts'
import { audit } from '../ledger/audit.ts'
import { auditedUrl, checkEndpointUrl } from '../ledger/endpoint-url.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal } from '../ledger/ledger.ts'
import { applicationsPerTenant } from '../ledger/limits.ts'
import { get, list, one, put } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import { changedApplication, savedSettings } from './changed-application.ts'
import { checkApplication } from './check-input.ts'
import type { ApplicationDeps } from './deps.ts'
import { active, applicationOf } from './load.ts'
import { newSecret } from './new-callback-secret.ts'
import { type SavedCallback, saveCallback, withCallback } from './outcome-callback.ts'
import { applicationView, outcomeCallbackView } from './present.ts'
import { type Application, applications } from './records.ts'
import type { ApplicationUseCases } from './use-cases.ts'

export function createApplication({ ledger }: ApplicationDeps): ApplicationUseCases['create'] {
  return async (actor, input) => {
    const member = authorizeMember(actor, 'createApplications')
    if (!member.ok) return member
    const malformed = refuseErrors(checkApplication(input))
    if (malformed) return malformed
    return executeAs(ledger, actor, 'createApplications', async (unit, { tenantId }) => {
      const { now, id } = unit
      const [found, others] = await unit.read([
        get(tenants, [tenantId]),
        list(applications, { where: [['tenantId', '=', tenantId]], take: 0, count: true }),
      ])
      const tenant = one(tenants, found)
      if (!tenant || tenant.row.deletion)
        return refusal(refuse('invalid_transition', 'the organization is being deleted'))
      if ((others?.total ?? 0) >= applicationsPerTenant)
        return refusal(
          refuse(
            'application_limit',
            `the organization has ${others?.total} applications, expected fewer than ${applicationsPerTenant}; deleted ones count too`,
          ),
        )
      const application: Application = {
        tenantId,
        applicationId: id('app'),
        name: input.name.trim(),
        description: input.description ?? null,
        stage: input.stage ?? 'development',
        lifecycleState: 'active',
        outcomeCallback: null,
        settings: savedSettings(null, input.settings),
        version: 1,
        createdAt: now,
        updatedAt: now,
      }
      return commit(
        {
          puts: [
            put(applications, application, null),
            // Conflicts with whatever rests on the list of applications: their limit, the organization's deletion.
            put(tenants, tenant.row, tenant),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'application.created',
              subject: application.applicationId,
              detail: { stage: application.stage },
            }),
          ],
        },
        applicationView(application, null, null),
      )
    })
  }
}

/** Sets the outcome callback. Saving the URL, also the same one, reopens an endpoint that answered 410. */
export function setOutcomeCallback(
  ports: ApplicationDeps,
): ApplicationUseCases['setOutcomeCallback'] {
  const { ledger, random, sealer, egress } = ports
  return async (actor, applicationId, input) => {
    const member = authorizeMember(actor, 'setOutcomeCallback')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [foundBefore] = await ledger.read(tenantId, [applicationOf(tenantId, applicationId)])
    const before = active(foundBefore)
    if (!before.ok) return before
    const leads = await checkEndpointUrl(input.url, egress)
    if (!leads.ok) return leads

    const { secret, seal } = newSecret({ sealer, random }, tenantId, applicationId)
    const right = 'setOutcomeCallback'
    const saved = await executeAs<SavedCallback>(ledger, actor, right, async ({ now, read }) => {
      const [found] = await read([applicationOf(tenantId, applicationId)])
      const loaded = active(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const saved = saveCallback(was.row, input, { now, seal })
      const { url, enabled, method } = saved.callback
      return commit(
        {
          puts: [
            put(applications, changedApplication(was.row, withCallback(saved.callback), now), was),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'application.outcome_callback_set',
              subject: applicationId,
              detail: { ...auditedUrl(url), enabled, method },
            }),
          ],
        },
        saved,
      )
    })
    if (!saved.ok) return saved
    const { callback, madeSecret } = saved.value
    const publicKey = callback.method === 'ed25519' ? await ports.publicKeyOf(tenantId) : null
    return ok(outcomeCallbackView(callback, publicKey, madeSecret ? secret : null))
  }
}
