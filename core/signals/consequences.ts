import { occurred } from '../activity/records.ts'
import type { Slices } from '../json/in-slices.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { list, many, one, put } from '../ledger/reads.ts'
import type { Found, Put, Read } from '../ports/store.ts'
import type { ReviewHost } from '../review/deps.ts'
import type { CaseParts } from '../review/execution/change-set.ts'
import type { Scene } from '../review/execution/scene.ts'
import { policyCaseParts } from '../review/policy-case.ts'
import { openCaseAt, reviewCases } from '../review/records.ts'
import type { StoredPayload } from '../sessions/payload-records.ts'
import type { PolicyResult, SessionKey, StoredStep } from '../sessions/records.ts'
import type { Outgoing } from '../webhooks/routing/fan-out.ts'
import { type EventHead, platformEvent } from './events.ts'
import { raiseFlag } from './flags/raise-flag.ts'
import { openFlagOf, sessionFlags } from './flags/records.ts'
import { type Demand, type Judgement, severestDemand } from './policy/judge.ts'
import { severities } from './policy/shapes.ts'
import { type PolicyDemand, policyDemands } from './records.ts'

/** A step, or a session as a whole, with what was found of it and the content that its case binds. */
export interface Judged {
  readonly judgement: Judgement
  /** Null for what concerns the session. */
  readonly step: Pick<
    StoredStep,
    'stepId' | 'type' | 'name' | 'toolName' | 'model' | 'startedAt'
  > | null
  readonly payloads: readonly Pick<StoredPayload, 'field' | 'bytes' | 'digest'>[]
}

/** What judgements entail, for the change set of what was judged; `events` are fanned out with its other events. */
export interface Consequences extends CaseParts {
  /** For each of what was judged its results, each with its case. */
  readonly results: readonly (readonly PolicyResult[])[]
  /** Flags raised: what the session's `openFlags` grows by. */
  readonly flags: number
  /** Cases that were opened or already open, each once, in order. */
  readonly reviewCaseIds: readonly string[]
}

interface Checkpoint {
  readonly demand: Demand
  readonly of: readonly Judged[]
}

/** What a checkpoint's demands and flags are, in the order of their checkpoints. */
function checkpointsOf(judged: readonly Judged[]): readonly Checkpoint[] {
  const byId = new Map<string, Judged[]>()
  for (const each of judged) {
    const id = each.judgement.demand?.checkpointId
    if (id === undefined) continue
    const of = byId.get(id)
    if (of) of.push(each)
    else byId.set(id, [each])
  }
  return [...byId.values()].flatMap((of) => {
    const demand = severestDemand(of.flatMap(({ judgement }) => judgement.demand ?? []))
    return demand ? [{ demand, of }] : []
  })
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

/** Rows of one checkpoint: the rules of a set and as many of the application's own. */
const mostDemands = 1_000

/** The read of what requires the cases of one checkpoint. */
export function demandsAt(
  { tenantId, applicationId, sessionId }: SessionKey,
  checkpointId: string,
): Read {
  return list(policyDemands, {
    where: [
      ['tenantId', '=', tenantId],
      ['applicationId', '=', applicationId],
      ['sessionId', '=', sessionId],
      ['checkpointId', '=', checkpointId],
    ],
    take: mostDemands,
  })
}

/** What a case and an event of a denial cost to make, in characters that are read or written, about. */
const caseEffort = 4_096
const violationEffort = 512

/**
 * Opens the cases that judgements demand, one a checkpoint; of a denial it emits `compliance.rule_violation` and raises
 * one flag. `scene` is of the same unit of work; its application must be there. Pauses between cases.
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
  const atCheckpoints = denied.length > 0 ? found.slice(1) : found
  const cases: CaseAtCheckpoint[] = []
  for (const [at, checkpoint] of checkpointsOf(judged).entries()) {
    if (slices.spend(caseEffort * checkpoint.of.length)) yield
    const ofCheckpoint = atCheckpoints.slice(2 * at, 2 * at + 2)
    cases.push(caseParts(host, scene, session, checkpoint, ofCheckpoint))
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

function denials(judged: readonly Judged[]): readonly PolicyResult[] {
  return judged.flatMap(({ judgement }) =>
    judgement.results.filter(({ effect }) => effect === 'deny'),
  )
}

/** The head of an event of this scene's application. */
export function headOf({ unit, at, application }: Scene, tenantId: string): EventHead {
  if (!application) throw new TypeError('expected the application of the scene, got none')
  return { id: unit.id('evt'), at, tenantId, application: application.row }
}

function violation(scene: Scene, { tenantId, sessionId }: SessionKey, result: PolicyResult) {
  const { stepId, ruleId, ruleVersion, ruleName, severity, source, matchedAt } = result
  return platformEvent(headOf(scene, tenantId), 'compliance.rule_violation', {
    sessionId,
    stepId,
    ruleId,
    ruleVersion,
    ruleName,
    severity,
    source,
    detectedAt: isoTime(matchedAt),
  })
}

/** Counts denials for alert rules. */
function violationPuts(
  { unit: { now, id } }: Scene,
  { tenantId, applicationId }: SessionKey,
  count: number,
): readonly Put[] {
  if (count === 0) return []
  const what = 'violations' as const
  return [occurred({ tenantId, applicationId, at: now, about: id('evt'), what, count })]
}

/** One flag for all denials, as severe as the severest; an open one stands for it. */
function flagParts(
  scene: Scene,
  session: SessionKey,
  denied: readonly PolicyResult[],
  found: Found | undefined,
): Pick<CaseParts, 'puts' | 'checks' | 'events'> {
  if (denied.length === 0) return { puts: [], checks: [], events: [] }
  const open = one(sessionFlags, found)
  if (open) {
    const { tenantId, applicationId, sessionId, flagId } = open.row
    const key = [tenantId, applicationId, sessionId, flagId] as const
    return { puts: [], checks: [{ in: sessionFlags.name, key, version: open.version }], events: [] }
  }
  const severity =
    severities[Math.max(...denied.map(({ severity }) => severities.indexOf(severity)))]
  const raised = raiseFlag(
    session,
    {
      flag: 'compliance',
      source: 'policy',
      severity: severity ?? 'warning',
      note: null,
      raisedBy: null,
    },
    { flagId: scene.unit.id('flag'), head: headOf(scene, session.tenantId) },
  )
  return { puts: [raised.put], checks: [], events: [raised.event] }
}

interface CaseAtCheckpoint {
  readonly checkpointId: string
  readonly reviewCaseId: string
  readonly parts: CaseParts
}

function caseParts(
  host: ReviewHost,
  scene: Scene,
  session: SessionKey,
  { demand, of }: Checkpoint,
  [open, demands]: readonly Found[],
): CaseAtCheckpoint {
  const { tenantId, applicationId, sessionId } = session
  const asking = of.flatMap(({ judgement }) =>
    judgement.results.filter(({ effect }) => effect === 'require_review'),
  )
  const shown = of.find(({ judgement }) => judgement.demand === demand) ?? of[0]
  const step = shown?.step ?? null
  const { review, parts } = policyCaseParts(
    host,
    scene,
    {
      tenantId,
      applicationId,
      sessionId,
      stepId: step?.stepId ?? null,
      ...demand,
      presentation: presentationOf(session, step, asking, shown?.payloads ?? []),
      policyResults: asking.map((result) => ({ ...result, matchedAt: isoTime(result.matchedAt) })),
    },
    one(reviewCases, open),
  )
  const { reviewCaseId } = review
  const { checkpointId } = demand
  return {
    checkpointId,
    reviewCaseId,
    parts: {
      ...parts,
      puts: [
        ...parts.puts,
        ...demandPuts({ ...session, checkpointId }, asking, reviewCaseId, demands),
      ],
    },
  }
}

/** What the reviewer is shown: no content, which they read at the step and the digests bind. */
function presentationOf(
  { applicationId, sessionId }: SessionKey,
  step: Judged['step'],
  asking: readonly PolicyResult[],
  payloads: Judged['payloads'],
): Readonly<Record<string, unknown>> {
  const subject = step ? `Step ${step.toolName ?? step.name}` : 'Session'
  const names = asking.map(({ ruleName }) => ruleName).join(', ')
  return {
    title: [...`${subject}: ${names}`].slice(0, longestTitle).join(''),
    applicationId,
    sessionId,
    step: step && {
      stepId: step.stepId,
      type: step.type,
      name: step.name,
      toolName: step.toolName,
      model: step.model,
      startedAt: isoTime(step.startedAt),
    },
    rules: asking.map(({ ruleId, ruleVersion, ruleName }) => ({
      ruleId,
      version: ruleVersion,
      name: ruleName,
    })),
    payloads: payloads.map(({ field, bytes, digest }) => ({ field, bytes, digest })),
  }
}
/** Characters. */
const longestTitle = 200

/** A row for each rule; one that required an earlier case of the checkpoint now requires this one. */
function demandPuts(
  place: SessionKey & { readonly checkpointId: string },
  asking: readonly PolicyResult[],
  reviewCaseId: string,
  found: Found | undefined,
): readonly Put[] {
  const { tenantId, applicationId, sessionId, checkpointId } = place
  const before = many(policyDemands, found)
  const rows = new Map(
    asking.map(({ source, ruleId, ruleVersion }): [string, PolicyDemand] => [
      `${source} ${ruleId}`,
      {
        tenantId,
        applicationId,
        sessionId,
        checkpointId,
        source,
        ruleId,
        ruleVersion,
        reviewCaseId,
      },
    ]),
  )
  return [...rows.values()].map((row) => {
    const was = before.find(
      (each) => each.row.source === row.source && each.row.ruleId === row.ruleId,
    )
    return put(policyDemands, row, was ?? null)
  })
}
