import { isoTime, isoTimeOrNull } from '../ledger/iso-time.ts'
import { type ApplicationHealth, healthView } from './health.ts'
import { type Application, type Deletion, type OutcomeCallback, stageOf } from './records.ts'
import type { ApplicationView, DeletionView, OutcomeCallbackView, TombstoneView } from './view.ts'

/** `publicKey` is the tenant's; a callback under a shared secret shows none. */
export function applicationView(
  application: Application,
  publicKey: string | null,
  health: ApplicationHealth | null,
): ApplicationView {
  const { applicationId, name, description = null } = application
  const { lifecycleState, createdAt, updatedAt, settings = null, outcomeCallback } = application
  if (lifecycleState === 'purged')
    throw new TypeError(`${applicationId} is purged: expected an application that is not`)
  return {
    applicationId,
    name,
    description,
    stage: stageOf(application),
    lifecycleState,
    version: application.version,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    promotedAt: isoTimeOrNull(application.promotedAt ?? null),
    deletion: deletionView(application.deletion ?? null),
    purgedAt: null,
    health: healthView(application, health),
    settings,
    outcomeCallback: outcomeCallback && outcomeCallbackView(outcomeCallback, publicKey),
  }
}

/** The view of an application in whatever state; `publicKey` as for `applicationView`. */
export function anyApplicationView(
  application: Application,
  publicKey: string | null,
  health: ApplicationHealth | null,
): ApplicationView | TombstoneView {
  const { lifecycleState, applicationId, purgedAt } = application
  if (lifecycleState !== 'purged') return applicationView(application, publicKey, health)
  return {
    applicationId,
    name: null,
    description: null,
    stage: null,
    lifecycleState: 'purged',
    version: null,
    createdAt: null,
    updatedAt: null,
    promotedAt: null,
    deletion: null,
    purgedAt: isoTime(purgedAt ?? 0),
    health: null,
    settings: null,
    outcomeCallback: null,
  }
}

function deletionView(deletion: Deletion | null): DeletionView | null {
  if (!deletion) return null
  const { requestedAt, requestedBy, purgeAt, blockedByHold } = deletion
  return {
    requestedAt: isoTime(requestedAt),
    requestedBy,
    purgeAt: isoTime(purgeAt),
    blockedByHold,
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
      previousSecretValidUntil: isoTimeOrNull(callback.previousSecret?.validUntil ?? null),
      ...(secret === null ? {} : { secret }),
    },
    gone,
    updatedAt: isoTime(updatedAt),
  }
}
