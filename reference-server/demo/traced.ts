import type { PackReport } from './pack.ts'
import type { Tally } from './tally.ts'

/** What the server's database has of the agent's runs. */
export interface Traced {
  readonly sessions: number
  /** Sessions under a Merkle root. */
  readonly sealed: number
  /** Ids of the steps that are stored. */
  readonly steps: readonly string[]
}

/** The agent's runs in numbers; `spansLost` and `stepsDoubled` must be 0. */
export interface TracedTally {
  readonly sessions: number
  readonly sealed: number
  readonly spans: number
  readonly steps: number
  readonly spansLost: number
  readonly stepsDoubled: number
}

/** Holds what is stored beside the ids of the steps that the agent's spans must become. */
export function tallyTraced(traced: Traced, spans: readonly string[]): TracedTally {
  const stored = new Set(traced.steps)
  return {
    sessions: traced.sessions,
    sealed: traced.sealed,
    spans: spans.length,
    steps: traced.steps.length,
    spansLost: spans.filter((id) => !stored.has(id)).length,
    stepsDoubled: traced.steps.length - stored.size,
  }
}

/** What must not be, a line each; none after a play that went well. */
export function faultsOf(counts: Tally & TracedTally, pack: PackReport): readonly string[] {
  const none = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}`])
  return [
    ...none(counts.lost, 'events lost'),
    ...none(counts.stale, 'cases stale'),
    ...none(counts.spansLost, 'spans lost'),
    ...none(counts.stepsDoubled, 'steps stored twice'),
    ...none(counts.sessions - counts.sealed, 'sessions not sealed'),
    ...none(counts.sessions - pack.sessions, 'sessions without verified evidence'),
    ...(pack.verdict === 'verified' ? [] : [`the evidence pack is ${pack.verdict}`]),
    ...(pack.decisions.signed > 0 ? [] : ['no decision of the pack is signed']),
    ...(pack.tamperedVerdict === 'failed' ? [] : ['a changed byte of the pack was not found']),
  ]
}
