import { isoTime } from '../ledger/iso-time.ts'
import { versionOf } from './changed-application.ts'
import type { Application, OutcomeCallback } from './records.ts'
import type { ApplicationView, OutcomeCallbackView } from './view.ts'

/** `publicKey` is the tenant's; a callback under a shared secret shows none. */
export function applicationView(
  application: Application,
  publicKey: string | null,
): ApplicationView {
  const { applicationId, name, description = null, stage = 'development' } = application
  const { lifecycleState, createdAt, updatedAt, settings = null, outcomeCallback } = application
  return {
    applicationId,
    name,
    description,
    stage,
    lifecycleState,
    version: versionOf(application),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    settings,
    outcomeCallback: outcomeCallback && outcomeCallbackView(outcomeCallback, publicKey),
  }
}

/** `secret` is given only to the answer that made it. */
export function outcomeCallbackView(
  callback: OutcomeCallback,
  publicKey: string | null,
  secret: string | null = null,
): OutcomeCallbackView {
  const { url, enabled, method, gone, updatedAt } = callback
  return {
    url,
    enabled,
    signing: {
      method,
      publicKey: method === 'ed25519' ? publicKey : null,
      hasSecret: callback.secret !== null,
      ...(secret === null ? {} : { secret }),
    },
    gone,
    updatedAt: isoTime(updatedAt),
  }
}
