import { longest } from '../kernel/ledger/limits.ts'
import { object } from '../kernel/members.ts'
import type { SealedMembers } from '../kernel/sealing/sealed-members.ts'
import type { SealedSecret } from '../kernel/sealing/shared-secret.ts'
import { line, oneOf, type RowsOf, stored, text, time } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { fromOne } from '../kernel/usual.ts'
import { optional, orNull } from '../kernel/wrap.ts'
import { signingRule } from './signing-rule.ts'
import {
  type ApplicationStage,
  lifecycleStates,
  shownApplication,
  shownDeletion,
  stage,
  thresholds,
} from './view.ts'

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

/** Scores from 0 to 100; falling below one causes an event or a flag, null causes none. */
export interface ApplicationSettings extends RowsOf<typeof thresholds> {}
/** A deletion that was asked for; times in ms. */
export interface Deletion extends RowsOf<typeof shownDeletion> {}

/** Applications. A tombstone has its ids, `lifecycleState` and `purgedAt`; the other members are empty, 0 or null. */
export const applications = table({
  name: 'applications',
  members: {
    tenantId: line(longest.id),
    applicationId: line(longest.id),
    name: text(longest.name),
    /** Absent where none was given. */
    description: optional(shownApplication.description),
    /** Null in a tombstone. */
    stage: orNull(stage),
    lifecycleState: oneOf(lifecycleStates),
    outcomeCallback: stored<OutcomeCallback | null>(),
    /** Version of the last secret that was sealed for an outcome callback of it, a removed one included; absent for none. */
    callbackSecretVersion: optional(fromOne),
    /** Absent where none was ever set. */
    settings: optional(orNull(object(thresholds))),
    /** Which decisions must be signed; absent: `usualSigningRule`. */
    signing: optional(object(signingRule)),
    /** From 1; raised by each change of a shown member. */
    version: shownApplication.version,
    createdAt: time,
    updatedAt: time,
    /** When its stage was last raised. Absent, as the next two, where it never happened. */
    promotedAt: optional(orNull(time)),
    /** From the request until the purge is done. */
    deletion: optional(orNull(object(shownDeletion))),
    purgedAt: optional(orNull(time)),
  },
  key: ['tenantId', 'applicationId'],
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
})

/** An application. */
export interface Application extends RowsOf<typeof applications.members> {}

/** The stage of an application that is no tombstone. */
export function stageOf({ applicationId, stage }: Application): ApplicationStage {
  if (stage === null) throw new TypeError(`${applicationId} is purged: it has no stage`)
  return stage
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
