import type { Collection } from '../ports/store.ts'
import type { SealedMembers } from '../sealing/sealed-members.ts'
import type { SealedSecret } from '../sealing/shared-secret.ts'
import type { ApplicationStage, LifecycleState } from './view.ts'

/** Where the outcome of a case is sent. */
export interface OutcomeCallback {
  readonly url: string
  readonly enabled: boolean
  readonly method: 'ed25519' | 'shared_secret'
  /** The UTF-8 text `whsec_…`, sealed under `callbackSecretContext`; null for ed25519. */
  readonly secret: SealedSecret | null
  /** Signs beside the secret until it ends, then is wiped; null outside a rotation. */
  readonly previousSecret: SealedSecret | null
  /** The endpoint answered 410: nothing is sent until the URL is saved again. */
  readonly gone: boolean
  readonly updatedAt: number
}

/** Scores from 0 to 100 below which something is told; null: nothing is. */
export interface ApplicationSettings {
  readonly governanceThreshold: number | null
  readonly qualityThreshold: number | null
}

/** A deletion that was asked for; times in ms. */
export interface Deletion {
  readonly requestedAt: number
  /** The actor's name. */
  readonly requestedBy: string
  /** When the grace period ends. */
  readonly purgeAt: number
  /** A legal hold kept the purge from beginning. */
  readonly blockedByHold: boolean
}

/** An application. A tombstone has its ids, `lifecycleState` and `purgedAt`; the other members are empty, 0 or null. */
export interface Application {
  readonly tenantId: string
  readonly applicationId: string
  readonly name: string
  /** Absent where none was given. */
  readonly description?: string | null
  /** Null in a tombstone. */
  readonly stage: ApplicationStage | null
  readonly lifecycleState: LifecycleState
  readonly outcomeCallback: OutcomeCallback | null
  /** Version of the last secret that was sealed for an outcome callback of it, a removed one included; absent for none. */
  readonly callbackSecretVersion?: number
  /** Absent where none was ever set. */
  readonly settings?: ApplicationSettings | null
  /** From 1, raised by each change of what is shown. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  /** When its stage was last raised. Absent, as the next two, where it never happened. */
  readonly promotedAt?: number | null
  /** From the request until the purge is done. */
  readonly deletion?: Deletion | null
  readonly purgedAt?: number | null
}

/** The stage of an application that is no tombstone. */
export function stageOf({ applicationId, stage }: Application): ApplicationStage {
  if (stage === null) throw new TypeError(`${applicationId} is purged: it has no stage`)
  return stage
}

export const applications: Collection<Application> = {
  name: 'applications',
  key: ['tenantId', 'applicationId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    lifecycleState: 'text',
    stage: 'text',
  },
  indexes: {
    byState: ['tenantId', 'lifecycleState'],
    byStage: ['tenantId', 'lifecycleState', 'stage'],
    byId: ['applicationId'],
    byLifecycle: ['lifecycleState'],
  },
  tenant: 'tenantId',
  purge: { part: 'application' },
  outlives: 'leave their tombstones',
  retain: { keep: 'a purged one leaves its tombstone' },
  restore: { raise: ['version'] },
}

/** The kind of the work item that carries a deletion from its request to its end; its `ref` is the application. */
export const purgeKind = 'purge'

/** The sealing context of a callback secret: it opens nowhere else. */
export function callbackSecretContext(
  tenantId: string,
  applicationId: string,
  version: number,
): string {
  return JSON.stringify(['outcome-callback', tenantId, applicationId, version])
}

export const sealedCallbackSecrets: SealedMembers<Application> = {
  collection: applications,
  map: (application, change) => {
    const { tenantId, applicationId, outcomeCallback } = application
    if (!outcomeCallback) return application
    const renewed = (secret: SealedSecret | null) =>
      secret && {
        ...secret,
        sealed: change(
          secret.sealed,
          callbackSecretContext(tenantId, applicationId, secret.version),
        ),
      }
    return {
      ...application,
      outcomeCallback: {
        ...outcomeCallback,
        secret: renewed(outcomeCallback.secret),
        previousSecret: renewed(outcomeCallback.previousSecret),
      },
    }
  },
}
