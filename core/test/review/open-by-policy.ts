import { answer, commit } from '@countersign/core/ledger'
import { one } from '../../kernel/ledger/reads.ts'
import { withDeliveries } from '../../review/execution/change-set.ts'
import { sceneOf } from '../../review/execution/scene.ts'
import { type PolicyCase, policyCaseParts } from '../../review/policy-case.ts'
import { openCaseAt, reviewCases } from '../../review/records.ts'
import { app, type Bench, value } from './bench.ts'

/** The case that a policy rule requires at a checkpoint, opened as a step's acceptance does it; its id. */
export async function openByPolicy(
  { ledger, room }: Bench,
  asked: Pick<PolicyCase, 'sessionId' | 'checkpointId'> & Partial<PolicyCase>,
): Promise<string> {
  const { tenantId, applicationId } = app
  const required: PolicyCase = {
    tenantId,
    applicationId,
    stepId: null,
    resumeToken: null,
    reasonCategory: 'policy_requires_human_review',
    reviewTier: 'standard',
    dueInSeconds: null,
    expiresInSeconds: null,
    presentation: { title: 'Step pay: amounts' },
    policyResults: [],
    ...asked,
  }
  return value(
    await ledger.execute<string>(tenantId, async (unit) => {
      const scene = await sceneOf(unit, tenantId, applicationId)
      const [open] = await unit.read([openCaseAt(required)])
      const made = policyCaseParts(room, scene, required, one(reviewCases, open))
      const { reviewCaseId } = made.review
      return made.opened
        ? commit(withDeliveries(room, scene, tenantId, made.parts), reviewCaseId)
        : answer(reviewCaseId)
    }),
  )
}
