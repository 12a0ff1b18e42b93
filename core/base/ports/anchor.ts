/** An entry of an anchor ledger, as proofs show it. */
export interface AnchorEntry {
  readonly anchorVersion: '1.0'
  /** `local` for the service's own ledger; else the name of the one that must be asked. */
  readonly ledger: string
  /** From 1 for each tenant, given by the service. */
  readonly sequence: number
  /** Hex SHA-256; tells nothing of what it commits to. */
  readonly commitment: string
  /** Hex; of the local ledger the hash of the entry before, 64 zeros for the first. */
  readonly previousHash: string
  /** ISO 8601 UTC with milliseconds. */
  readonly anchoredAt: string
  /** Names the key, or the authority, behind `signature`. */
  readonly keyId: string
  /** Base64: the local ledger's signature, or the receipt of another. */
  readonly signature: string
}

/** `submitted`: the ledger took it and may still lose it. `recorded` (locally) and `included` (elsewhere): it is there for good. */
export type AnchorStatus = 'recorded' | 'submitted' | 'included'

/** What a ledger says of an entry. */
export interface Anchoring {
  readonly entry: AnchorEntry
  readonly status: AnchorStatus
}

/** Commitments of one tenant for a ledger. */
export interface AnchorSubmission {
  readonly tenantId: string
  /** In order; `sequence` rises by one. */
  readonly commitments: readonly { readonly sequence: number; readonly commitment: string }[]
  /** The tenant's entry before the first of them, with the hash of its canonical JSON; null where there is none. */
  readonly last: { readonly entry: AnchorEntry; readonly entryHash: string } | null
  /** Ms. */
  readonly now: number
}

/**
 * A ledger in which commitments are anchored. Must be idempotent: a call that rejected, or whose answer was lost before
 * it was committed, is repeated, and a tenant's commitment must not be recorded twice.
 */
export interface AnchorLedger {
  readonly name: string
  /** Takes commitments; answers for each, in their order. */
  submit(submission: AnchorSubmission): Promise<readonly Anchoring[]>
  /** Asks again for an entry that is `submitted`; sequence and commitment stay. */
  refresh(given: {
    readonly tenantId: string
    readonly entry: AnchorEntry
    /** Ms. */
    readonly now: number
  }): Promise<Anchoring>
}
