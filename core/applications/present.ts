import { isoTime } from '../ledger/iso-time.ts'
import type { Application, OutcomeCallback } from './records.ts'
import type { ApplicationView, OutcomeCallbackView } from './view.ts'

/** `publicKey` is the tenant's; a callback under a shared secret shows none. */
export function applicationView(
  application: Application,
  publicKey: string | null,
): ApplicationView {
  const { applicationId, name, lifecycleState, createdAt, outcomeCallback } = application
  return {
    applicationId,
    name,
    lifecycleState,
    createdAt: isoTime(createdAt),
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
