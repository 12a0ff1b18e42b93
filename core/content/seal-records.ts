import { longest } from '../kernel/ledger/limits.ts'
import { count } from '../kernel/page.ts'
import { line, oneOf, type RowsOf, stored, text, time } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { fromOne } from '../kernel/usual.ts'
import { orNull } from '../kernel/wrap.ts'
import { asItsSession } from './payload-records.ts'
import { type Agent, type SessionStatus, sessionOrigins } from './records.ts'

const id = line(longest.id)
const hex = text(64)

/** The leaf of a session. */
export interface SessionLeaf {
  readonly sessionId: string
  readonly revision: number
  /** Hex. */
  readonly leafHash: string
  readonly status: 'accepted' | 'duplicate'
  readonly reviewCaseIds: readonly string[]
}

/** The leaf of a review case that has ended. */
export interface CaseLeaf {
  readonly leafType: 'review-case'
  readonly reviewCaseId: string
  /** The one that its record names. */
  readonly sessionId: string
  readonly leafHash: string
}

/** The leaf of the newest entry that the tenant's audit log had when the batch was made. */
export interface AuditLeaf {
  readonly leafType: 'audit-log'
  /** 0, with 64 zeros as `hash`, for a log without entries. */
  readonly position: number
  /** Hex: the chain's hash at this position. */
  readonly hash: string
  readonly leafHash: string
}

/** One leaf of a batch's Merkle tree. */
export type BatchLeaf = SessionLeaf | CaseLeaf | AuditLeaf

/** Whether a leaf is a session's: the only kind that submissions have, and that has no type. */
export function isSessionLeaf(leaf: BatchLeaf): leaf is SessionLeaf {
  return !('leafType' in leaf)
}

/** What is sealed together, each batch under one Merkle root. */
export const batches = table({
  name: 'batches',
  members: {
    tenantId: id,
    applicationId: id,
    /** The application's own for a submission, else `bat_…`. */
    batchId: id,
    origin: oneOf(sessionOrigins),
    merkleRoot: hex,
    /** In the order of the tree. */
    leaves: stored<readonly BatchLeaf[]>(),
    sealedAt: time,
    /** Hex, 32 random bytes: what links the root to its commitment. */
    nonce: hex,
    /** Hex SHA-256 of tag, root and nonce: what is anchored. */
    commitment: hex,
    /** Since when it waits for its anchor; null once the ledger took it. */
    anchorDue: orNull(time),
    /** Position in the tenant's ledger. */
    anchorSequence: orNull(count),
    /** Position of its leaf of the audit log; null for a submission, whose tree is the application's own. */
    auditPosition: orNull(count),
  },
  key: ['tenantId', 'applicationId', 'batchId'],
  indexes: {
    byApplication: ['applicationId'],
    byAnchorDue: ['tenantId', 'anchorDue'],
    byAuditPosition: ['tenantId', 'auditPosition'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'keys' },
  retain: { keep: 'roots outlive their sessions' },
})
/** One of `batches`. */
export interface Batch extends RowsOf<typeof batches.members> {}

/** Members of a session's record that later data may change. */
export interface SealedHead {
  readonly status: SessionStatus
  readonly startedAt: number
  readonly endedAt: number
  readonly agent: Agent | null
}

/** The seals of sessions, one of each revision, with what the record of that revision holds beside its steps. */
export const seals = table({
  name: 'seals',
  members: {
    tenantId: id,
    applicationId: id,
    sessionId: id,
    revision: count,
    batchId: id,
    leafIndex: count,
    leafHash: hex,
    sealedAt: time,
    /** Null for a submission, whose leaf is the submitted session. */
    head: stored<SealedHead | null>(),
  },
  key: ['tenantId', 'applicationId', 'sessionId', 'revision'],
  indexes: { byApplication: ['applicationId'] },
  ...asItsSession,
})
/** One of `seals`. */
export interface Seal extends RowsOf<typeof seals.members> {}

/** Seals of review cases that have ended: the place of each case's leaf, or that it waits for one. */
export const caseSeals = table({
  name: 'caseSeals',
  members: {
    reviewCaseId: id,
    tenantId: id,
    applicationId: id,
    sessionId: id,
    /** Of the case's record. */
    leafHash: hex,
    /** Null while it waits for its batch. */
    batchId: orNull(id),
    leafIndex: orNull(count),
    sealedAt: orNull(time),
    /** Since when it waits for a seal; null once it has one. */
    sealDue: orNull(time),
  },
  key: ['reviewCaseId'],
  indexes: {
    bySession: ['tenantId', 'applicationId', 'sessionId'],
    bySealDue: ['applicationId', 'sealDue'],
  },
  ...asItsSession,
})
/** One of `caseSeals`. */
export interface CaseSeal extends RowsOf<typeof caseSeals.members> {}

/** A tenant's anchor ledger; without the nonce of its batch an entry leads back to nothing. */
export const anchors = table({
  name: 'anchors',
  members: {
    tenantId: id,
    /** Without gaps. */
    sequence: fromOne,
    ledger: id,
    commitment: hex,
    /** The root that the commitment is over; roots outlive their batches. */
    merkleRoot: hex,
    /** Of the local ledger the hash of the entry before, 64 zeros for the first. */
    previousHash: hex,
    anchoredAt: time,
    keyId: id,
    /** Base64. */
    signature: stored<string>(),
    /** Hex SHA-256 of the entry's canonical JSON. */
    entryHash: hex,
    status: oneOf(['recorded', 'submitted', 'included']),
    /** When a ledger elsewhere is asked again what became of it; null once it is there for good. */
    refreshDue: orNull(time),
    /** Base64: the answer of a time-stamping authority for `entryHash`; null while there is none. */
    timeStamp: orNull(stored<string>()),
    /** Since when it waits for its time stamp; null once it has one, and where no authority is asked. */
    stampDue: orNull(time),
  },
  key: ['tenantId', 'sequence'],
  indexes: { byRefreshDue: ['tenantId', 'refreshDue'], byStampDue: ['tenantId', 'stampDue'] },
  tenant: 'tenantId',
  purge: { keep: 'anchors are permanent and lead back to nothing once the batch is gone' },
  outlives: 'permanent',
  retain: { keep: 'permanent' },
})
/** One of `anchors`. */
export interface Anchor extends RowsOf<typeof anchors.members> {}
