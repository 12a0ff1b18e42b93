import type { Versioned } from '../base/ports/store.ts'
import { inTurn, list, many, one } from '../kernel/ledger/reads.ts'
import { queryOf } from '../kernel/query.ts'
import type { Wake } from '../kernel/unit.ts'
import { handler, type WorkHandler } from '../kernel/work/handler.ts'
import { workAt } from '../kernel/work/records.ts'
import type { ReviewHost } from '../review/deps.ts'
import { sceneOf } from '../review/execution/scene.ts'
import { goesWithItsRule } from '../review/machine/adoption.ts'
import { cancellationParts } from '../review/policy-case.ts'
import { caseOf, type ReviewCase, reviewCases } from '../review/records.ts'
import { demandsAt } from './demanded-cases.ts'
import { type PolicyDemand, type PolicyRuleSet, policyDemands, policyRuleSets } from './records.ts'

const kind = 'policyRule.withdrawal'
/** Demands that one run looks at: each may cancel a case. */
const piece = 10

interface Withdrawn {
  readonly tenantId: string
  readonly applicationId: string
  readonly ruleId: string
}

/** The work that cancels the open cases of a withdrawn rule, in pieces. */
export function withdrawal({ tenantId, applicationId, ruleId }: Withdrawn, now: number): Wake {
  const ref = JSON.stringify([applicationId, ruleId])
  const state = { ruleId, after: '' } satisfies Progress
  return workAt({ kind, ref, tenantId, applicationId, due: now, state })
}

interface Progress {
  readonly ruleId: string
  /** The last case that was looked at. */
  readonly after: string
}

/** Whether a demand still requires its case: it is the application's, or its rule has required reviews ever since. */
export function stands(demand: PolicyDemand, set: PolicyRuleSet | null): boolean {
  if (demand.source === 'application') return true
  const since = set?.rules.find(({ ruleId }) => ruleId === demand.ruleId)?.requiresSince ?? null
  return since !== null && demand.ruleVersion !== null && demand.ruleVersion >= since
}

/** Cancels open cases of withdrawn rules, except those that another rule or the application requires or adopted. */
export function createWithdrawal(host: ReviewHost): WorkHandler {
  return handler<Progress>({
    kind,
    of: 'application',
    run: async (unit, { tenantId, applicationId, state: { ruleId, after } }) => {
      const ofRule = list(policyDemands, {
        by: 'byRule',
        where: [
          ['tenantId', '=', tenantId],
          ['applicationId', '=', applicationId],
          ['source', '=', 'service'],
          ['ruleId', '=', ruleId],
          ['reviewCaseId', '>', after],
        ],
        take: piece,
      })
      const { set, demands } = await unit.ask({
        set: policyRuleSets.get(tenantId, applicationId),
        demands: queryOf([ofRule], ([found]) => many(policyDemands, found).map(({ row }) => row)),
      })
      const lost = demands.filter((demand) => !stands(demand, set?.row ?? null))
      const found = await unit.read(
        lost.flatMap((demand) => [
          caseOf(demand.reviewCaseId),
          demandsAt(demand, demand.checkpointId),
        ]),
      )
      const ofNext = inTurn(found)
      const unrequired = lost.flatMap((demand): readonly Versioned<ReviewCase>[] => {
        const [foundCase, foundDemands] = ofNext(2)
        const review = one(reviewCases, foundCase)
        const others = many(policyDemands, foundDemands).map(({ row }) => row)
        const required = others.some(
          (each) => each.reviewCaseId === demand.reviewCaseId && stands(each, set?.row ?? null),
        )
        const open = review?.row.state === 'open' && goesWithItsRule(review.row)
        return review && open && !required ? [review] : []
      })
      const last = demands.at(-1)
      const scene = await sceneOf(unit, tenantId, applicationId)
      for (const was of unrequired) {
        const { events = [], ...parts } =
          cancellationParts(host, scene, was, 'policy_rule_withdrawn') ?? {}
        unit.include(parts)
        for (const event of events) unit.emit(event)
      }
      const next = demands.length < piece || !last ? null : unit.now
      return { next, state: { ruleId, after: last?.reviewCaseId ?? after } }
    },
  })
}
