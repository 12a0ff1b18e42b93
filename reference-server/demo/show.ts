import type { PackReport } from './pack.ts'
import { type Evidence, heads, type Tally } from './tally.ts'
import type { TracedTally } from './traced.ts'

/** The sender's ledger beside the receiver's inbox, a line a case. */
export function showLedger(
  evidence: Evidence,
  result: Tally & TracedTally,
  say: (line: string) => void,
): void {
  const sent = heads(evidence.sent)
  const kept = heads(evidence.kept)
  say('')
  say(`${'case'.padEnd(30)} ${'outcome'.padEnd(10)} ${'sent to'.padEnd(8)} received`)
  for (const { reviewCaseId, outcome } of evidence.cases) {
    const head = position(sent.get(reviewCaseId))
    const seen = position(kept.get(reviewCaseId))
    say(`${reviewCaseId.padEnd(30)} ${outcome.padEnd(10)} ${head.padEnd(8)} ${seen}`)
  }
  say('')
  say(`events ${result.events}, delivered ${result.delivered} of ${result.deliveries}`)
  say(`inbox: ${result.stored} stored, ${result.duplicatesDropped} duplicates dropped`)
  say(`outcome callbacks kept: ${result.callbacks}`)
  say(`sessions: ${result.sessions}, sealed ${result.sealed}`)
  say(`spans sent ${result.spans}, steps stored ${result.steps}`)
  say(`lost ${result.lost}, stale ${result.stale}, spans lost ${result.spansLost}`)
}

/** The evidence pack, what the verifier said, and how to ask it again. */
export function showPack(pack: PackReport, say: (line: string) => void): void {
  say('')
  say(`evidence of ${pack.sessions} sessions, ${pack.checks} checks: ${pack.verdict}`)
  const { signed, recorded } = pack.decisions
  say(`decisions signed by their reviewers: ${signed}, recorded by the service: ${recorded}`)
  say(`with one byte changed: ${pack.tamperedVerdict}`)
  say(`npx countersign-verify --keys ${pack.keysFile} ${pack.file}`)
}

function position(
  head: { readonly caseVersion: number; readonly eventSequence: number } | undefined,
): string {
  return head ? `${head.caseVersion}.${head.eventSequence}` : '-'
}
