import type { Sealer } from '../base/ports/secrets.ts'
import type { Put } from '../base/ports/store.ts'
import type { EgressGuard } from '../base/ports/transport.ts'
import { auditedUrl, checkEndpointUrl } from '../kernel/ledger/endpoint-url.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { Afterwards, operationsWith } from '../kernel/operation.ts'
import { flag } from '../kernel/shape.ts'
import { usual } from '../kernel/wrap.ts'
import { callbackSecretWipeOf } from './callback-secret-wipe.ts'
import { changedApplication } from './changed-application.ts'
import { activeApplication } from './load.ts'
import { newSecret } from './new-callback-secret.ts'
import { callbackOf, rotateSecret, saveCallback, withCallback } from './outcome-callback.ts'
import { outcomeCallbackView, type PublicKeys, viewAfterwards } from './present.ts'
import { type Application, applications } from './records.ts'
import { applicationShape, callbackDefinition, callbackShape, shownApplication } from './view.ts'

/** What operations of outcome callbacks need of the host and of other rooms. */
export interface CallbackTools extends PublicKeys {
  readonly sealer: Sealer
  readonly egress: EgressGuard
  /** Schedules the work that gives up the outcomes still owed by an outcome callback that is being removed. */
  readonly endCallbacks: (unit: UnitOfWork, application: Application) => Promise<Put>
}

const { command } = operationsWith<CallbackTools>()
const { applicationId } = shownApplication
const right = 'setOutcomeCallback'

/** Sets the outcome callback. Saving the URL, also the same one, reopens an endpoint that answered 410. */
export const setOutcomeCallback = command({
  name: 'applications.setOutcomeCallback',
  doc: 'Set where outcomes are sent',
  right,
  takes: { applicationId, ...callbackDefinition },
  gives: callbackShape,
  refuses: ['not_found', 'application_gone', 'invalid_url', 'refused_address'],
  async prepare({ ask, by, tools, orRefuse }, { applicationId, url }) {
    await ask({ before: activeApplication(by.tenantId, applicationId) })
    return orRefuse(await checkEndpointUrl(url, tools.egress))
  },
  async run(unit, { applicationId, ...input }) {
    const { now, random, tools } = unit
    const { tenantId } = unit.by
    const { was } = await unit.ask({ was: activeApplication(tenantId, applicationId) })
    const { secret, seal } = newSecret({ sealer: tools.sealer, random }, tenantId, applicationId)
    const { callback, madeSecret } = saveCallback(was.row, input, { now, seal })
    const { url, enabled, method } = callback
    unit.put(applications, changedApplication(was.row, withCallback(callback), now), was)
    const detail = { ...auditedUrl(url), enabled, method }
    unit.audit('application.outcome_callback_set', applicationId, detail)
    return new Afterwards(async () => {
      const publicKey = method === 'ed25519' ? await tools.publicKeyOf(tenantId) : null
      return outcomeCallbackView(callback, publicKey, madeSecret ? secret : null)
    })
  },
})

/**
 * Removes the outcome callback with its secret. What it still owes is given up, as after a 410: its cases show it, and
 * can be replayed once there is another one.
 */
export const removeOutcomeCallback = command({
  name: 'applications.removeOutcomeCallback',
  doc: 'Remove where outcomes are sent, and give up what is still owed',
  right,
  takes: { applicationId },
  gives: applicationShape,
  refuses: ['not_found', 'application_gone', 'callback_not_configured'],
  async run(unit, { applicationId }) {
    const { was } = await unit.ask({ was: activeApplication(unit.by.tenantId, applicationId) })
    const { url, method } = unit.orRefuse(callbackOf(was.row))
    const row = changedApplication(was.row, { outcomeCallback: null }, unit.now)
    unit.put(applications, row, was)
    unit.include({ puts: [await unit.tools.endCallbacks(unit, row)] })
    const detail = { ...auditedUrl(url), method }
    unit.audit('application.outcome_callback_removed', applicationId, detail)
    return viewAfterwards(unit, row)
  },
})

/**
 * Replaces the shared secret of the outcome callback and shows the new one once. The previous secret signs beside it
 * for 24 h and is then wiped. `force` drops a previous secret that still signs from an earlier rotation.
 */
export const rotateCallbackSecret = command({
  name: 'applications.rotateCallbackSecret',
  doc: 'Rotate the secret of the outcome callback and show it once',
  right,
  takes: { applicationId, force: usual(flag, false) },
  gives: callbackShape,
  refuses: [
    'not_found',
    'application_gone',
    'callback_not_configured',
    'not_shared_secret',
    'already_rotating',
  ],
  async run(unit, { applicationId, force }) {
    const { now, random, tools } = unit
    const { tenantId } = unit.by
    const { was } = await unit.ask({ was: activeApplication(tenantId, applicationId) })
    const { secret, seal } = newSecret({ sealer: tools.sealer, random }, tenantId, applicationId)
    const callback = unit.orRefuse(rotateSecret(was.row, { force, now, seal }))
    const row = changedApplication(was.row, withCallback(callback), now)
    unit.put(applications, row, was)
    unit.wake(callbackSecretWipeOf(row, now))
    const detail = { ...auditedUrl(callback.url), force }
    unit.audit('application.outcome_callback_secret_rotated', applicationId, detail)
    return outcomeCallbackView(callback, null, secret)
  },
})

/** Where outcomes of applications go (interface, Portal host). */
export const callbackOperations = [
  setOutcomeCallback,
  removeOutcomeCallback,
  rotateCallbackSecret,
] as const
