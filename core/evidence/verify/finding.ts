/** What a check found. */
export type Finding = {
  readonly check: FindingCheck
  /** What was looked at: a file, a session, a step, an entry. */
  readonly about: string
  /** A sentence for a reader who knows what a signature and a hash are. */
  readonly detail: string
} & {
  readonly result: FindingResult
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

/** Collects the findings of one verification. */
export interface Findings {
  readonly all: readonly Finding[]
  add(result: FindingResult, check: FindingCheck, about: string, detail: string): void
}

export function collectFindings(): Findings {
  const all: Finding[] = []
  return { all, add: (result, check, about, detail) => all.push({ result, check, about, detail }) }
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
