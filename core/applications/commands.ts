import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { checkText } from '../access/check-text.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal } from '../ledger/ledger.ts'
import { put } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import { formatSharedSecret } from '../signing/key-text.ts'

import { active, applicationOf } from './load.ts'
import { saveCallback } from './outcome-callback.ts'
import type { ApplicationPorts } from './ports.ts'
import { applicationView, outcomeCallbackView } from './present.ts'
import { type Application, applications, callbackSecretContext } from './records.ts'
import type { ApplicationUseCases } from './use-cases.ts'

const longestName = 200
const utf8 = new TextEncoder()

export function createApplication({ ledger }: ApplicationPorts): ApplicationUseCases['create'] {
  return async (actor, input) => {
    const member = authorizeMember(actor, 'createApplications')
    if (!member.ok) return member
    const errors = checkText(input.name, '/name', longestName)
    if (errors.length > 0) return refuse('invalid_request', 'the name is not allowed', { errors })
    const { tenantId } = member.value
    return await ledger.execute(tenantId, async ({ now, id }) => {
      const application: Application = {
        tenantId,
        applicationId: id('app'),
        name: input.name.trim(),
        lifecycleState: 'active',
        outcomeCallback: null,
        createdAt: now,
        updatedAt: now,
      }
      return commit(
        {
          puts: [put(applications, application, null)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'application.created',
              subject: application.applicationId,
              detail: { name: application.name },
            }),
          ],
        },
        applicationView(application, null),
      )
    })
  }
}

/** Where outcomes go (decisions 4). Saving the URL, be it the same, makes an endpoint that answered 410 worth trying again. */
export function setOutcomeCallback(
  ports: ApplicationPorts,
): ApplicationUseCases['setOutcomeCallback'] {
  const { ledger, random, sealer, egress } = ports
  return async (actor, applicationId, input) => {
    const member = authorizeMember(actor, 'setOutcomeCallback')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [foundBefore] = await ledger.read(tenantId, [applicationOf(tenantId, applicationId)])
    const before = active(foundBefore)
    if (!before.ok) return before
    const verdict = await egress.check(input.url)
    if (!verdict.ok) return badUrl(verdict)

    const newSecret = formatSharedSecret(random.bytes(32))
    const saved = await ledger.execute<ReturnType<typeof saveCallback>>(
      tenantId,
      async ({ now, read }) => {
        const [found] = await read([applicationOf(tenantId, applicationId)])
        const loaded = active(found)
        if (!loaded.ok) return refusal(loaded)
        const was = loaded.value
        const made = saveCallback(was.row.outcomeCallback, input, {
          now,
          seal: (version) => ({
            version,
            sealed: sealer.seal(
              utf8.encode(newSecret),
              callbackSecretContext(tenantId, applicationId, version),
            ),
          }),
        })
        const { callback } = made
        return commit(
          {
            puts: [
              put(applications, { ...was.row, outcomeCallback: callback, updatedAt: now }, was),
            ],
            appends: [
              audit(tenantId, {
                at: isoTime(now),
                actor: actorName(actor),
                action: 'application.outcome_callback_set',
                subject: applicationId,
                detail: { url: callback.url, enabled: callback.enabled, method: callback.method },
              }),
            ],
          },
          made,
        )
      },
    )
    if (!saved.ok) return saved
    const { callback, madeSecret } = saved.value
    const publicKey = await ports.publicKeyOf(tenantId)
    return ok(outcomeCallbackView(callback, publicKey, madeSecret ? newSecret : null))
  }
}

function badUrl(verdict: {
  readonly code: 'invalid_url' | 'refused_address'
  readonly detail: string
}): ReturnType<typeof refuse> {
  const { code, detail } = verdict
  return refuse(code, detail, { errors: [{ code, detail, pointer: '/url', parameter: null }] })
}
