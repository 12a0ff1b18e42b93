import type { MemberActor } from '../../kernel/callers/actor.ts'
import type { Right } from '../../kernel/callers/authorize.ts'
import type { TenantSigner } from '../keys/evidence-keys.ts'
import type { PackMember } from '../pack.ts'
import type { PackType } from './records.ts'

/** An entry of the audit log; 0 and null for none. */
export interface LogEnd {
  readonly position: number
  /** Hex. */
  readonly hash: string | null
}

/** What a pack's writing learns of what it holds. */
export interface PackTally {
  sessionCount: number
  /** Names of the keys whose content it has; by JSON of `[applicationId, subjectId]`, subjects of the vault. */
  readonly keys: Map<string, string>
  /** Pseudonyms of those whose sessions or steps it has; JSON of `[applicationId, dataSubjectId]`. */
  readonly named: Set<string>
  /** The last entry of the audit log that it has; null where it has no log. */
  auditLog: LogEnd | null
}

/** What the members of a pack are made with. */
export interface Making {
  /** Ms. */
  readonly now: number
  readonly packageId: string
  readonly signer: TenantSigner
  readonly tally: PackTally
}

/** A package that is asked for. */
export interface PackageOrder {
  readonly member: MemberActor
  /** Looked at again when the record is made. */
  readonly right: Right
  readonly packType: PackType
  /** Applications that it has data of. */
  readonly applicationIds: readonly string[]
  readonly scope: object
  /** How long its copy is kept, ms. */
  readonly keptMs: number
  /** Whose erasure ends it: one subject's, or anyone's in these applications. Absent: of those whose data it has. */
  readonly erasures?: { readonly dataSubjectId: string | null }
  readonly members: (made: Making) => AsyncIterable<PackMember>
}
