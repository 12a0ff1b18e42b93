import type { AnchorStatus } from '../base/ports/anchor.ts'
import type { Collection } from '../base/ports/store.ts'
import type { Agent, SessionOrigin, SessionStatus } from './records.ts'

/** One leaf of a batch's Merkle tree. */
export interface BatchLeaf {
  readonly sessionId: string
  readonly revision: number
  /** Hex. */
  readonly leafHash: string
  readonly status: 'accepted' | 'duplicate'
  readonly reviewCaseIds: readonly string[]
}

/** Sessions sealed together under one Merkle root. */
export interface Batch {
  readonly tenantId: string
  readonly applicationId: string
  /** The application's own for a submission, else `bat_…`. */
  readonly batchId: string
  readonly origin: SessionOrigin
  readonly merkleRoot: string
  /** In the order of the tree. */
  readonly leaves: readonly BatchLeaf[]
  readonly sealedAt: number
  /** Hex, 32 random bytes: what links the root to its commitment. */
  readonly nonce: string
  /** Hex SHA-256 of tag, root and nonce: what is anchored. */
  readonly commitment: string
  /** Since when it waits for its anchor; null once the ledger took it. */
  readonly anchorDue: number | null
  /** Position in the tenant's ledger. */
  readonly anchorSequence: number | null
}

export const batches: Collection<Batch> = {
  name: 'batches',
  key: ['tenantId', 'applicationId', 'batchId'],
  columns: { tenantId: 'text', applicationId: 'text', batchId: 'text', anchorDue: 'int' },
  indexes: {
    byApplication: ['applicationId'],
    byAnchorDue: ['tenantId', 'anchorDue'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'keys' },
  retain: { keep: 'roots outlive their sessions' },
}

/** The seal of one revision of a session, with what the record of that revision holds beside its steps. */
export interface Seal {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly revision: number
  readonly batchId: string
  readonly leafIndex: number
  readonly leafHash: string
  readonly sealedAt: number
  /** Null for a submission, whose leaf is the submitted session. */
  readonly head: SealedHead | null
}

/** Members of a session's record that later data may change. */
export interface SealedHead {
  readonly status: SessionStatus
  readonly startedAt: number
  readonly endedAt: number
  readonly agent: Agent | null
}

export const seals: Collection<Seal> = {
  name: 'seals',
  key: ['tenantId', 'applicationId', 'sessionId', 'revision'],
  columns: { tenantId: 'text', applicationId: 'text', sessionId: 'text', revision: 'int' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

/** An entry of a tenant's anchor ledger; without the nonce of its batch it leads back to nothing. */
export interface Anchor {
  readonly tenantId: string
  /** From 1, without gaps. */
  readonly sequence: number
  readonly ledger: string
  readonly commitment: string
  /** The root that the commitment is over; roots outlive their batches. */
  readonly merkleRoot: string
  /** Of the local ledger the hash of the entry before, 64 zeros for the first. */
  readonly previousHash: string
  readonly anchoredAt: number
  readonly keyId: string
  /** Base64. */
  readonly signature: string
  /** Hex SHA-256 of the entry's canonical JSON. */
  readonly entryHash: string
  readonly status: AnchorStatus
  /** When a ledger elsewhere is asked again what became of it; null once it is there for good. */
  readonly refreshDue: number | null
}

export const anchors: Collection<Anchor> = {
  name: 'anchors',
  key: ['tenantId', 'sequence'],
  columns: { tenantId: 'text', sequence: 'int', refreshDue: 'int' },
  indexes: { byRefreshDue: ['tenantId', 'refreshDue'] },
  tenant: 'tenantId',
  purge: { keep: 'anchors are permanent and lead back to nothing once the batch is gone' },
  outlives: 'permanent',
  retain: { keep: 'permanent' },
}
