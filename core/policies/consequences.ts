import type { Outgoing } from '../base/events/outgoing.ts'
import type { Slices } from '../base/json/in-slices.ts'
import type { Found, Read } from '../base/ports/store.ts'
import type { PolicyResult, SessionKey } from '../content/records.ts'
import { inTurn } from '../kernel/ledger/reads.ts'
import type { ReviewHost } from '../review/deps.ts'
import type { CaseParts } from '../review/execution/change-set.ts'
import type { Scene } from '../review/execution/scene.ts'
import { openCaseAt } from '../review/records.ts'
import { type CaseAtCheckpoint, caseParts, checkpointsOf, demandsAt } from './demanded-cases.ts'
import { denials, flagParts, violation, violationPuts } from './denials.ts'
import { openFlagOf } from './flags/records.ts'
import type { Judged } from './judged.ts'

/** What judgements entail, to be committed with what was judged; `events` are fanned out with those of the commit. */
export interface Consequences extends CaseParts {
  /** The results of each judged step or session, in order; each names its case. */
  readonly results: readonly (readonly PolicyResult[])[]
  /** Flags raised: what the session's `openFlags` grows by. */
  readonly flags: number
  /** Cases that were opened or already open, each once, in order. */
  readonly reviewCaseIds: readonly string[]
}

/** The reads whose answers `consequencesOf` takes; none where nothing was found. */
export function consequenceReads(session: SessionKey, judged: readonly Judged[]): readonly Read[] {
  return [
    ...(denials(judged).length > 0 ? [openFlagOf(session, 'compliance', 'policy')] : []),
    ...checkpointsOf(judged).flatMap(({ demand: { checkpointId } }) => [
      openCaseAt({ ...session, checkpointId }),
      demandsAt(session, checkpointId),
    ]),
  ]
}

/** The approximate cost of making a case and a denial's event, in characters read or written. */
const caseEffort = 4_096
const violationEffort = 512

/**
 * Opens the cases that judgements demand, one per checkpoint; emits `compliance.rule_violation` for each denial and
 * raises one flag for all. `scene` is of the same unit of work, and its application exists. Yields between cases.
 */
export function* consequencesOf(
  host: ReviewHost,
  scene: Scene,
  session: SessionKey,
  judged: readonly Judged[],
  found: readonly Found[],
  slices: Slices,
): Generator<undefined, Consequences> {
  const denied = denials(judged)
  const violations: Outgoing[] = []
  for (const result of denied) {
    if (slices.spend(violationEffort)) yield
    violations.push(violation(scene, session, result))
  }
  const flag = flagParts(scene, session, denied, found[0])
  const ofNext = inTurn(denied.length > 0 ? found.slice(1) : found)
  const cases: CaseAtCheckpoint[] = []
  for (const checkpoint of checkpointsOf(judged)) {
    if (slices.spend(caseEffort * checkpoint.of.length)) yield
    cases.push(caseParts(host, scene, session, checkpoint, ofNext(2)))
  }
  const caseOf = new Map(
    cases.map(({ checkpointId, reviewCaseId }) => [checkpointId, reviewCaseId]),
  )
  return {
    puts: [
      ...flag.puts,
      ...violationPuts(scene, session, denied.length),
      ...cases.flatMap(({ parts }) => parts.puts),
    ],
    checks: [...flag.checks, ...cases.flatMap(({ parts }) => parts.checks)],
    appends: cases.flatMap(({ parts }) => parts.appends),
    events: [...violations, ...flag.events, ...cases.flatMap(({ parts }) => parts.events)],
    results: judged.map(({ judgement: { results, demand } }) =>
      results.map((result) => {
        const asks = result.effect === 'require_review' && demand
        return asks ? { ...result, reviewCaseId: caseOf.get(asks.checkpointId) ?? null } : result
      }),
    ),
    flags: flag.puts.length,
    reviewCaseIds: cases.map(({ reviewCaseId }) => reviewCaseId),
  }
}
