import type { EvidenceKeys } from './keys.ts'
import type { KnownEvidence } from './known.ts'
import type { Json } from './read.ts'

/** What a check found. */
export interface Finding {
  readonly result: FindingResult
  readonly check: FindingCheck
  /** What was looked at: a file, a session, a step, an entry. */
  readonly about: string
  /** A sentence for a reader who knows what a signature and a hash are. */
  readonly detail: string
}

/**
 * `verified`: it holds. `failed`: it does not, so the material was changed or is incomplete. `unchecked`: it could
 * not be checked, for a key or another document is missing. `noted`: a fact that the reader should know and no fault,
 * such as an erasure.
 */
export type FindingResult = 'verified' | 'failed' | 'unchecked' | 'noted'

/** What is checked. */
export type FindingCheck =
  | 'form'
  | 'signature'
  | 'issuer'
  | 'content'
  | 'record'
  | 'leaf'
  | 'inclusion'
  | 'commitment'
  | 'anchor'
  | 'chain'
  | 'batch'
  | 'file'
  | 'manifest'
  | 'witness'
  | 'stamp'
  | 'decision'

/** A time stamp beside a ledger entry whose hash it is over. */
export interface ShownStamp {
  /** For a finding: the entry, or what lies under it and is not of the stamp's time. */
  readonly about: string
  /** What the authority answered: DER. */
  readonly answer: Uint8Array
  /** The entry's canonical JSON, whose SHA-256 is stamped. */
  readonly entry: Uint8Array
  /** Ms. */
  readonly stampedAt: number
  /** Why it is not of the time of what it is over, the end of a sentence; null where it is. */
  readonly fault: string | null
}

/** An entry of the audit log of an enrolment or a revocation, which is told beside its key. */
export interface KeyEntry {
  readonly hash: string
  readonly previousHash: unknown
  /** The authenticator. */
  readonly subject: unknown
  /** ms; NaN where it tells none. */
  readonly at: number
}

/** Keys of reviewers' authenticators, as a pack has them. */
export interface ReviewerKeys {
  /** JWK with `memberId`, `rpId`, `from` and `until`, by the credential's id. */
  readonly keys: ReadonlyMap<string, Json>
  /** The audit log's entries of them, by position. */
  readonly entries: ReadonlyMap<number, KeyEntry>
  /** What is wrong with them by themselves. */
  readonly findings: readonly Finding[]
}

/** Takes stamps whose digest is right, to check by whom they are signed. */
export type StampSink = (stamp: ShownStamp) => void

/** What is found of one thing, as it is checked with these keys. */
export interface Report
  extends Record<FindingResult, (check: FindingCheck, detail: string) => void> {
  readonly about: string
  /** All findings of the verification, whatever they are about. */
  readonly all: readonly Finding[]
  readonly keys: EvidenceKeys
  /** Null where nothing is known from before. */
  readonly known: KnownEvidence | null
  /** Null where no time-stamping authority is trusted. */
  readonly stamps: StampSink | null
  /** Null where no keys of authenticators are at hand. */
  readonly reviewers: ReviewerKeys | null
  /** The report about another thing of the same verification. */
  on(about: string): Report
}

/** A verification that begins with one thing; without keys it checks no signature. */
export function createReport(
  about: string,
  keys: EvidenceKeys = new Map(),
  known: KnownEvidence | null = null,
  stamps: StampSink | null = null,
  reviewers: ReviewerKeys | null = null,
): Report {
  return reportOn(about, { keys, known, stamps, reviewers }, [])
}

function reportOn(
  about: string,
  given: Pick<Report, 'keys' | 'known' | 'stamps' | 'reviewers'>,
  all: Finding[],
): Report {
  const add = (result: FindingResult) => (check: FindingCheck, detail: string) =>
    void all.push({ result, check, about, detail })
  return {
    about,
    all,
    ...given,
    on: (other) => reportOn(other, given, all),
    verified: add('verified'),
    failed: add('failed'),
    unchecked: add('unchecked'),
    noted: add('noted'),
  }
}

/**
 * `failed` for any failure, `verified` where a signature verified and nothing was left unchecked, else `undecided`:
 * what no verified signature covers can be anybody's.
 */
export type Verdict = 'verified' | 'failed' | 'undecided'

/** The verdict over all findings. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const has = (sought: FindingResult, of = findings) => of.some(({ result }) => result === sought)
  if (has('failed')) return 'failed'
  const signatures = findings.filter(({ check }) => check === 'signature')
  return has('verified', signatures) && !has('unchecked') ? 'verified' : 'undecided'
}
