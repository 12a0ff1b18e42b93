import { highestScore, longest } from '../kernel/ledger/limits.ts'
import { object } from '../kernel/members.ts'
import {
  anyText,
  anything,
  flag,
  type InsOf,
  just,
  line,
  type Members,
  type Named,
  name,
  none,
  numberFrom,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  text,
  time,
} from '../kernel/shape.ts'
import { fromOne } from '../kernel/usual.ts'
import { optional, optionalEach, orNull, usual } from '../kernel/wrap.ts'

/** The states of an application, in their order; anything but `active` takes no data. */
export const lifecycleStates = ['active', 'pending_deletion', 'purging', 'purged'] as const
/** Life of an application; anything but `active` takes no data. */
export type LifecycleState = (typeof lifecycleStates)[number]

/** The stages of an application, in their order. */
export const applicationStages = ['development', 'staging', 'production'] as const
/** How far an application has come, as its owner says. */
export type ApplicationStage = (typeof applicationStages)[number]
export const stage: Shape<ApplicationStage> = oneOf(applicationStages)

/** How an application, or an organization, does. */
export const healthStatuses = ['healthy', 'degraded', 'unhealthy', 'unknown'] as const
/** How an application, or an organization, does. */
export type HealthStatus = (typeof healthStatuses)[number]

const shownHealth = { status: oneOf(healthStatuses), since: time }
/** An application's health; `since` is ISO 8601 UTC. */
export interface HealthView extends OutsOf<typeof shownHealth> {}

const threshold = orNull(numberFrom(0, highestScore))
export const thresholds = {
  /** A governance score that falls below it causes `governance.threshold_breached`. */
  governanceThreshold: threshold,
  /** A session whose quality is below it gets a flag. */
  qualityThreshold: threshold,
}
/** Thresholds of an application's scores, 0 to 100; null where there is none. */
export interface ApplicationSettingsView extends OutsOf<typeof thresholds> {}

/** The members that the owner of an application sets at any time. */
export const applicationDefinition = {
  name: name(longest.name),
  /** Null removes it. */
  description: orNull(text(longest.description)),
  /** Null removes all; a member that is null is removed, an absent one keeps. */
  settings: orNull(object(optionalEach(thresholds))),
}
/** The members that an application is created with. */
export const newApplication = {
  ...applicationDefinition,
  stage: usual(stage, 'development'),
}
/** What callers give of an application. */
export interface ApplicationInput extends InsOf<typeof newApplication> {}

export const signingMethods = ['ed25519', 'shared_secret'] as const
const method = oneOf(signingMethods)

/** The members of an outcome callback that its owner sets. */
export const callbackDefinition = {
  url: anyText(longest.url),
  enabled: flag,
  /** Absent keeps the method; at first it is ed25519. */
  signing: optional(object({ method })),
}

/** What members see of an outcome callback. */
export const shownCallback = {
  url: callbackDefinition.url,
  enabled: flag,
  signing: object({
    method,
    /** The tenant's; null under a shared secret. */
    publicKey: orNull(text(longest.secret)),
    hasSecret: flag,
    /** Until when the secret before it signs too; null outside a rotation. */
    previousSecretValidUntil: orNull(time),
    /** There only in the answer that made it. */
    secret: optional(text(longest.secret)),
  }),
  /** The endpoint answered 410; the URL must be saved again before a replay. */
  gone: flag,
  updatedAt: time,
}
/** Where an application's outcomes go, and with what they are signed. */
export interface OutcomeCallbackView extends OutsOf<typeof shownCallback> {}
export const callbackShape: Named<typeof shownCallback, OutcomeCallbackView> = object(
  shownCallback,
  'OutcomeCallback',
)

export const shownDeletion = {
  requestedAt: time,
  /** The actor's name. */
  requestedBy: line(longest.id),
  /** When the grace period ends. */
  purgeAt: time,
  /** A legal hold kept the purge from beginning. */
  blockedByHold: flag,
}
/** A deletion that was asked for and can be cancelled until the purge begins. */
export interface DeletionView extends OutsOf<typeof shownDeletion> {}

/** What members see of an application until it is purged. */
export const shownApplication = {
  applicationId: line(longest.id),
  name: applicationDefinition.name,
  description: applicationDefinition.description,
  stage,
  lifecycleState: oneOf(['active', 'pending_deletion', 'purging']),
  /** From 1; raised by each change of a member that is shown here. */
  version: fromOne,
  createdAt: time,
  updatedAt: time,
  /** When its stage was last raised. */
  promotedAt: orNull(time),
  /** From the request until the purge is done. */
  deletion: orNull(object(shownDeletion)),
  purgedAt: none,
  /** Null while it is being deleted. */
  health: orNull(object(shownHealth)),
  /** Null where no threshold is set. */
  settings: orNull(object(thresholds)),
  outcomeCallback: orNull(callbackShape),
}
/** An application as it is returned, until it is purged. */
export interface ApplicationView extends OutsOf<typeof shownApplication> {}
export const applicationShape: Named<typeof shownApplication, ApplicationView> = object(
  shownApplication,
  'Application',
)

/** What stays of a purged application: all else is null. */
export const tombstone = {
  ...nothingOf(shownApplication),
  applicationId: shownApplication.applicationId,
  lifecycleState: just('purged'),
  purgedAt: time,
}
/** What stays of a purged application: all else is null. */
export interface TombstoneView extends OutsOf<typeof tombstone> {}

/** An application in any state. */
export const anyApplicationShape: Shape<unknown, unknown, ApplicationView | TombstoneView> = {
  ...(anything as Shape<never>),
  json: {
    input: {},
    answer: {
      title: 'AnyApplication',
      anyOf: [applicationShape.json.answer, object(tombstone, 'Tombstone').json.answer],
    },
  },
}

function nothingOf<M extends Members>(members: M): { readonly [Name in keyof M]: Shape<null> } {
  const names = Object.keys(members).map((member) => [member, none] as const)
  return Object.fromEntries(names) as { readonly [Name in keyof M]: Shape<null> }
}

/** What is shown of an application's health; ms. */
export type ShownHealth = RowsOf<typeof shownHealth>
