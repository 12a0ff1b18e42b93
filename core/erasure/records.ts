import { get } from '../ledger/reads.ts'
import type { Collection, Read } from '../ports/store.ts'
import type { ErasureCertificate } from '../proof/model.ts'

/** A legal hold: while it is active nothing of its subject is erased, removed for age or purged. */
export interface LegalHold {
  readonly tenantId: string
  readonly holdId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Null: in every application. */
  readonly applicationId: string | null
  readonly matter: string
  /** 1 until it is released, then 0. */
  readonly active: 0 | 1
  readonly placedBy: string
  readonly placedAt: number
  readonly releasedBy: string | null
  readonly releasedAt: number | null
  readonly releaseReason: string | null
}

export const legalHolds: Collection<LegalHold> = {
  name: 'legalHolds',
  key: ['holdId'],
  columns: {
    holdId: 'text',
    tenantId: 'text',
    dataSubjectId: 'text',
    applicationId: 'text',
    active: 'int',
  },
  indexes: {
    byTenant: ['tenantId'],
    byActive: ['tenantId', 'active'],
    bySubject: ['tenantId', 'dataSubjectId', 'active'],
    byApplication: ['applicationId'],
  },
  tenant: 'tenantId',
  // Those of all applications are the tenant's, and stay.
  purge: { application: 'applicationId' },
  retain: { keep: 'shows what was kept, and why' },
}

/**
 * One row per tenant, written by every change of its holds and by the beginning of every erasure, so that what relied on
 * the absence of one conflicts.
 */
export interface HoldBoard {
  readonly tenantId: string
  readonly changes: number
}

export const holdBoards: Collection<HoldBoard> = {
  name: 'holdBoards',
  key: ['tenantId'],
  columns: { tenantId: 'text' },
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
}

/**
 * Data of a subject went for its age not long ago. Packages that were made before may have it until they end, so that an
 * erasure of the subject still has something to do.
 */
export interface RemovedSubject {
  readonly tenantId: string
  readonly applicationId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Ms; when the last of it went. */
  readonly removedAt: number
}

export const removedSubjects: Collection<RemovedSubject> = {
  name: 'removedSubjects',
  key: ['tenantId', 'applicationId', 'dataSubjectId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    dataSubjectId: 'text',
    removedAt: 'int',
  },
  indexes: {
    bySubject: ['tenantId', 'dataSubjectId'],
    byApplication: ['applicationId'],
    byAge: ['removedAt'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  // A day more than packages are kept, for clocks that differ.
  retain: { by: 'removedAt', days: 8 },
}

/** Why a subject's data may be erased. */
export const erasureReasons = [
  'consent_withdrawn',
  'no_longer_needed',
  'objection',
  'unlawful',
  'other',
] as const
/** One of `erasureReasons`. */
export type ErasureReason = (typeof erasureReasons)[number]

/** State of an erasure request. */
export type ErasureStatus = 'received' | 'scheduled' | 'blocked_by_hold' | 'completed' | 'rejected'

/** What an erasure made unreadable, or removed. */
export interface ErasureCounts {
  readonly applications: number
  readonly sessions: number
  readonly payloads: number
  readonly cases: number
  readonly annotations: number
}

/** A request to erase a subject's data; it stays, with the pseudonym alone, as proof of what was done. */
export interface ErasureRequest {
  readonly tenantId: string
  readonly erasureRequestId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Null: in every application. */
  readonly applicationId: string | null
  /** `applicationId`, or empty for all: a unique rule takes no null. */
  readonly scope: string
  readonly reason: ErasureReason
  readonly status: ErasureStatus
  /** `callback`: outcomes of its cases are still being sent; all else is unreadable, and gone. */
  readonly waitingFor: 'hold' | 'callback' | null
  /** 1 until it is completed or rejected, then 0. */
  readonly underWay: 0 | 1
  readonly requestedBy: string
  readonly requestedAt: number
  /** When its first commit made all unreadable: from then on it can't be stopped. */
  readonly begunAt: number | null
  readonly completedAt: number | null
  /** Applications that had data or a key of the subject, or had until not long ago (`RemovedSubject`). */
  readonly applicationIds: readonly string[]
  readonly counts: ErasureCounts | null
  /** As it was signed; null until it is completed. */
  readonly certificate: ErasureCertificate | null
  readonly rejectedBy: string | null
  readonly rejectedAt: number | null
  readonly rejectReason: string | null
}

export const erasureRequests: Collection<ErasureRequest> = {
  name: 'erasureRequests',
  key: ['erasureRequestId'],
  columns: {
    erasureRequestId: 'text',
    tenantId: 'text',
    dataSubjectId: 'text',
    scope: 'text',
    underWay: 'int',
  },
  indexes: {
    byTenant: ['tenantId'],
    byState: ['tenantId', 'underWay'],
    bySubject: ['tenantId', 'dataSubjectId', 'underWay'],
    byScope: ['scope'],
  },
  unique: {
    underWay: {
      on: ['tenantId', 'dataSubjectId', 'scope'],
      when: { column: 'underWay', is: 1 },
    },
  },
  tenant: 'tenantId',
  // Those of all applications are the tenant's, and stay.
  purge: { application: 'scope' },
  retain: { keep: 'shows what was erased; names a pseudonym alone' },
}

/** The read of an erasure request. */
export function erasureOf(erasureRequestId: string): Read {
  return get(erasureRequests, [erasureRequestId])
}

/** The outcome callback of an erased case that is still being sent: it goes with the end of that. */
export interface OwedOutcome {
  readonly tenantId: string
  readonly applicationId: string
  readonly erasureRequestId: string
  readonly reviewCaseId: string
  /** The id of its callback, derived from the case before its content is erased. */
  readonly callbackId: string
}

export const owedOutcomes: Collection<OwedOutcome> = {
  name: 'owedOutcomes',
  key: ['erasureRequestId', 'reviewCaseId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    erasureRequestId: 'text',
    reviewCaseId: 'text',
  },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'erasure' },
}
