import type { Found, Put, Read } from '../base/ports/store.ts'
import type { PolicyResult, SessionKey } from '../content/records.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { list, many, one, put } from '../kernel/ledger/reads.ts'
import type { ReviewHost } from '../review/deps.ts'
import type { CaseParts } from '../review/execution/change-set.ts'
import type { Scene } from '../review/execution/scene.ts'
import { policyCaseParts } from '../review/policy-case.ts'
import { reviewCases } from '../review/records.ts'
import type { Judged } from './judged.ts'
import { type PolicyDemand, policyDemands } from './records.ts'
import { type Demand, severestDemand } from './rules/judge.ts'

/** A place in a session where judgements demand a case. */
export interface Checkpoint {
  readonly demand: Demand
  readonly of: readonly Judged[]
}

/** The checkpoints that judgements demand cases at, each with its severest demand, in order of appearance. */
export function checkpointsOf(judged: readonly Judged[]): readonly Checkpoint[] {
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

/** The case of a checkpoint, opened now or open before, as parts of a change set. */
export interface CaseAtCheckpoint {
  readonly checkpointId: string
  readonly reviewCaseId: string
  readonly parts: CaseParts
}

/** Opens the case of a checkpoint, or adds to the open one; `open` and `demands` were read for it. */
export function caseParts(
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
      policyResults: asking.map(({ revision: _, ...result }) => ({
        ...result,
        matchedAt: isoTime(result.matchedAt),
      })),
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
    ...(asking.some(({ late }) => late) && { late: true }),
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
