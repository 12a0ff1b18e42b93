import { longest } from '../../kernel/ledger/limits.ts'
import { listOf, object, recordOf, showAll } from '../../kernel/members.ts'
import { count } from '../../kernel/page.ts'
import {
  just,
  line,
  type Named,
  name,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  stored,
  text,
  time,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull } from '../../kernel/wrap.ts'
import { memberName } from '../../organizations/members/member-name.ts'
import type { DocumentSignature } from '../../proof/sign.ts'

/** The members that readers of a legal hold see. */
export const shownHold = {
  holdId: line(longest.id),
  /** A pseudonym. */
  dataSubjectId: line(longest.id),
  /** Null: in every application. */
  applicationId: orNull(line(longest.id)),
  matter: name(longest.matter),
  placedBy: memberName,
  placedAt: time,
  releasedAt: orNull(time),
  releasedBy: orNull(memberName),
  releaseReason: orNull(name(longest.privacyReason)),
}

/** Legal holds: while one is active nothing of its subject is erased, removed for age or purged. */
export const legalHolds = table({
  name: 'legalHolds',
  members: {
    tenantId: line(longest.id),
    ...shownHold,
    /** 1 until it is released, then 0. */
    active: stored<0 | 1>('int'),
  },
  key: ['holdId'],
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
})

/** A legal hold. */
export interface LegalHold extends RowsOf<typeof legalHolds.members> {}
/** A legal hold as it is returned. */
export interface HoldView extends OutsOf<typeof shownHold> {}

/** A hold as callers get it. */
export function holdView(hold: LegalHold): HoldView {
  return showAll(shownHold, hold)
}

/**
 * One row per tenant, written by every change of its holds and by the beginning of every erasure, so that what relied on
 * the absence of one conflicts.
 */
export const holdBoards = table({
  name: 'holdBoards',
  members: { tenantId: line(longest.id), changes: count },
  key: ['tenantId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
})
/** One of `holdBoards`. */
export interface HoldBoard extends RowsOf<typeof holdBoards.members> {}

/**
 * Subjects whose data went for its age not long ago. Packages that were made before may have it until they end, so that
 * an erasure of the subject still has something to do.
 */
export const removedSubjects = table({
  name: 'removedSubjects',
  members: {
    tenantId: line(longest.id),
    applicationId: line(longest.id),
    /** A pseudonym. */
    dataSubjectId: line(longest.id),
    /** When the last of it went. */
    removedAt: time,
  },
  key: ['tenantId', 'applicationId', 'dataSubjectId'],
  indexes: {
    bySubject: ['tenantId', 'dataSubjectId'],
    byApplication: ['applicationId'],
    byAge: ['removedAt'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  // A day more than packages are kept, for clocks that differ.
  retain: { by: 'removedAt', days: 8 },
})
/** One of `removedSubjects`. */
export interface RemovedSubject extends RowsOf<typeof removedSubjects.members> {}

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

const erasureStatuses = [
  'received',
  'scheduled',
  'blocked_by_hold',
  'completed',
  'rejected',
] as const
/** State of an erasure request. */
export type ErasureStatus = (typeof erasureStatuses)[number]

const counts = {
  applications: count,
  sessions: count,
  payloads: count,
  cases: count,
  annotations: count,
}
/** What an erasure made unreadable, or removed. */
export interface ErasureCounts extends RowsOf<typeof counts> {}

/** The members of an erasure request that are shown as they are stored. */
const erasure = {
  erasureRequestId: line(longest.id),
  /** A pseudonym. */
  dataSubjectId: line(longest.id),
  /** Null: in every application. */
  applicationId: orNull(line(longest.id)),
  reason: oneOf(erasureReasons),
  status: oneOf(erasureStatuses),
  /** `callback`: outcomes of its cases are still being sent, for 72 h at most; all else is unreadable, and gone. */
  waitingFor: orNull(oneOf(['hold', 'callback'])),
  requestedBy: memberName,
  requestedAt: time,
  completedAt: orNull(time),
  /** Shown once it is completed. */
  counts: orNull(object(counts)),
}

/** The members that readers of an erasure request see. */
export const shownErasure = {
  ...erasure,
  /** Null until it is completed. */
  certificateUrl: orNull(text(longest.url)),
}

/** Requests to erase a subject's data; they stay, with the pseudonym alone, as proof of what was done. */
export const erasureRequests = table({
  name: 'erasureRequests',
  members: {
    tenantId: line(longest.id),
    ...erasure,
    /** `applicationId`, or empty for all: a unique rule takes no null. */
    scope: stored<string>('text'),
    /** 1 until it is completed or rejected, then 0. */
    underWay: stored<0 | 1>('int'),
    /** When its first commit made all unreadable: from then on it can't be stopped. */
    begunAt: orNull(time),
    /** Applications that had data or a key of the subject, or had until not long ago (`RemovedSubject`). */
    applicationIds: stored<readonly string[]>(),
    /** As it was signed; null until it is completed. */
    certificate: stored<ErasureCertificate | null>(),
    rejectedBy: orNull(memberName),
    rejectedAt: orNull(time),
    rejectReason: orNull(name(longest.privacyReason)),
  },
  key: ['erasureRequestId'],
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
})

/** A request to erase a subject's data. */
export interface ErasureRequest extends RowsOf<typeof erasureRequests.members> {}
/** An erasure request as it is returned. */
export interface ErasureView extends OutsOf<typeof shownErasure> {}

/** Where a completed erasure's certificate is read. */
export function certificateUrlOf(portalUrl: string, erasureRequestId: string): string {
  return `${portalUrl}/v1/gdpr/erasure-requests/${erasureRequestId}/certificate`
}

/** A request as callers get it. */
export function erasureView(request: ErasureRequest, portalUrl: string): ErasureView {
  const { completedAt, erasureRequestId } = request
  const certificateUrl = completedAt === null ? null : certificateUrlOf(portalUrl, erasureRequestId)
  const done = completedAt === null ? null : request.counts
  return showAll(shownErasure, { ...request, counts: done, certificateUrl })
}

/** The work item of a request, one to one. */
export const erasureKind = 'erasure'

/** Outcome callbacks of erased cases that are still being sent: each goes with the end of that. */
export const owedOutcomes = table({
  name: 'owedOutcomes',
  members: {
    tenantId: line(longest.id),
    applicationId: line(longest.id),
    erasureRequestId: line(longest.id),
    reviewCaseId: line(longest.id),
    /** The id of its callback, derived from the case before its content is erased. */
    callbackId: line(longest.id),
  },
  key: ['erasureRequestId', 'reviewCaseId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'erasure' },
})
/** One of `owedOutcomes`. */
export interface OwedOutcome extends RowsOf<typeof owedOutcomes.members> {}

/** Signatures of a document by evidence keys. */
export const signatures: Shape<readonly DocumentSignature[]> = listOf(
  object({ keyId: line(longest.id), alg: just('Ed25519'), sig: line(longest.id) }, 'Signature'),
)

const certificate = {
  certificateVersion: just('1.0'),
  certificateType: just('erasure'),
  organizationName: name(longest.name),
  tenantId: line(longest.id),
  erasureRequestId: line(longest.id),
  /** A pseudonym. */
  dataSubjectId: line(longest.id),
  applicationIds: listOf(line(longest.id)),
  requestedAt: time,
  completedAt: time,
  method: just('crypto-shredding'),
  counts: recordOf(line(longest.name), count, Number.MAX_SAFE_INTEGER),
  /** What remains, and why. */
  retained: listOf(text(longest.detail)),
  signatures,
}
/** Statement that a data subject's content was made unreadable, signed. */
export interface ErasureCertificate extends OutsOf<typeof certificate> {}
export const erasureCertificateShape: Named<typeof certificate, ErasureCertificate> = object(
  certificate,
  'ErasureCertificate',
)
