import { type Actor, actorName } from '../access/actor.ts'
import { members } from '../access/records.ts'
import { digestOf } from '../canonical/digest.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { answer, commit, type Plan, refusal } from '../ledger/ledger.ts'
import { get, list, one } from '../ledger/reads.ts'
import { checkReceipt } from '../ledger/receipts.ts'
import { refuse } from '../ledger/refusal.ts'
import type { Check, Read } from '../ports/store.ts'
import { schedule } from '../work/records.ts'
import { tooLarge } from './case-size.ts'
import { changesOf } from './changes.ts'
import { checkExpiry, checkOpening } from './check-input.ts'
import { deadlineItem } from './deadlines.ts'
import { newCase } from './new-case.ts'
import type { ReviewHost } from './ports.ts'
import { caseOf, type ReviewCase, reviewCases } from './records.ts'
import type { Scene } from './scene.ts'
import type { OpenCase } from './view.ts'

export interface Opening {
  readonly tenantId: string
  readonly applicationId: string
  readonly actor: Actor
  readonly input: OpenCase
  /** What makes the actor one who may open. */
  readonly checks: readonly Check[]
}

/** The case that answers an opening, or the one at its checkpoint whose time is up, to be expired first. */
export type Opened = { readonly review: ReviewCase } | { readonly lapsed: ReviewCase }

/** Opens a case, or finds the one that this key or this checkpoint already has. */
export async function planOpening(
  host: ReviewHost,
  scene: Scene,
  opening: Opening,
): Promise<Plan<Opened>> {
  const { tenantId, applicationId, actor, input } = opening
  const { attempt, at } = scene
  const malformed = refuseErrors(checkOpening(input))
  if (malformed) return refusal(malformed)

  const requester = input.requestedBy ?? null
  const [held, known] = await attempt.read([
    openAt(tenantId, applicationId, input),
    ...(requester === null ? [] : [get(members, [tenantId, requester])]),
  ])
  const standing = one(reviewCases, held)
  const subject = standing?.row.reviewCaseId ?? attempt.id('rc')
  const receipt = await checkReceipt(attempt, {
    tenantId,
    applicationId,
    scope: `reviewCases.open:${applicationId}`,
    idempotencyKey: input.idempotencyKey,
    fingerprint: fingerprintOf(input),
    subject,
  })
  if (receipt.kind === 'conflict') return refusal(receipt)
  if (receipt.kind === 'repeat') {
    const [found] = await attempt.read([caseOf(receipt.subject)])
    const before = one(reviewCases, found)
    return before
      ? answer({ review: before.row })
      : refusal(refuse('not_found', 'the case that this idempotencyKey opened is gone'))
  }
  const late = refuseErrors(checkExpiry(input, at))
  if (late) return refusal(late)
  if (standing && standing.row.expiresAt <= at) return answer({ lapsed: standing.row })
  if (requester !== null && !one(members, known)) return refusal(unknownRequester(requester))
  if (standing) {
    const { reviewCaseId } = standing.row
    const check = { in: reviewCases.name, key: [reviewCaseId], version: standing.version } as const
    return commit(
      { puts: [receipt.put], checks: [...opening.checks, check] },
      { review: standing.row },
    )
  }

  const moved = newCase(input, {
    reviewCaseId: subject,
    tenantId,
    applicationId,
    at,
    by: actorName(actor),
  })
  const oversize = tooLarge('open', moved.case)
  if (oversize) return { kind: 'refuse', refusal: oversize }
  const changes = changesOf(host, scene, null, moved, actor)
  return commit(
    {
      ...changes,
      puts: [...changes.puts, receipt.put, schedule(deadlineItem(moved.case))],
      checks: [...changes.checks, ...opening.checks],
    },
    { review: moved.case },
  )
}

function openAt(tenantId: string, applicationId: string, input: OpenCase): Read {
  return list(reviewCases, {
    where: [
      ['tenantId', '=', tenantId],
      ['applicationId', '=', applicationId],
      ['sessionId', '=', input.sessionId],
      ['checkpointId', '=', input.checkpointId],
      ['state', '=', 'open'],
    ],
    by: 'byCheckpoint',
    take: 1,
  })
}

/** Of everything that was asked but for the key itself; a member that is absent and one that is null ask the same. */
function fingerprintOf(input: OpenCase): string {
  return digestOf({
    sessionId: input.sessionId,
    stepId: input.stepId ?? null,
    checkpointId: input.checkpointId,
    resumeToken: input.resumeToken ?? null,
    reasonCategory: input.reasonCategory,
    reviewTier: input.reviewTier ?? null,
    dueAt: input.dueAt ?? null,
    expiresAt: input.expiresAt ?? null,
    presentation: input.presentation,
    requestedBy: input.requestedBy ?? null,
    policyResults: input.policyResults ?? [],
  })
}

function unknownRequester(requester: string): ReturnType<typeof refuse> {
  const expected = 'expected the id of a member of the organization or null'
  return refuseErrors([wrong('/requestedBy', `${expected}, got ${JSON.stringify(requester)}`)])
}
