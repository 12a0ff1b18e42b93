import { digestOf } from '../base/canonical/digest.ts'
import type { Versioned } from '../base/ports/store.ts'
import { erasingIn, hiddenTexts, marksOf } from '../content/erasure-marks.ts'
import { sessionAliases } from '../content/trace-records.ts'
import { type ApplicationActor, actorName } from '../kernel/callers/actor.ts'
import { refuseErrors, wrong } from '../kernel/ledger/input-errors.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { checkReceipt, receiptOf } from '../kernel/ledger/receipts.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { schedule } from '../kernel/work/records.ts'
import { members } from '../organizations/access/records.ts'
import { routingOf } from '../webhooks/routing/fan-out.ts'
import { checkDeadlines } from './check-input.ts'
import { deadlineItem } from './deadlines.ts'
import type { ReviewHost } from './deps.ts'
import { withoutContent } from './erase-case.ts'
import { type Changes, changesOf } from './execution/change-set.ts'
import { shownErased } from './execution/end-erased.ts'
import { contextOf, type Scene, sceneFrom } from './execution/scene.ts'
import { standingOf, standingReads } from './execution/standing.ts'
import { tooLarge } from './machine/case-size.ts'
import { decide } from './machine/machine.ts'
import { newCase } from './machine/new-case.ts'
import { caseOf, openCaseAt, type ReviewCase, reviewCases } from './records.ts'
import { sealToken } from './sealing.ts'
import type { OpenCase } from './view.ts'

export interface Opening {
  readonly actor: ApplicationActor
  readonly input: OpenCase
  /** What is wrong with the input; told only to those who may open. */
  readonly malformed: ReturnType<typeof refuse> | null
}

/** The answer to an opening, or the expired case at its checkpoint that must be recorded first. */
export type Opened = { readonly review: ReviewCase } | { readonly lapsed: ReviewCase }

/**
 * Opens a case, or finds the one that this key or this checkpoint already has. The id of a dissolved session names the
 * one that took its steps. One read, unless the key was used before or the session was dissolved.
 */
export async function planOpening(
  host: ReviewHost,
  unit: UnitOfWork,
  { actor, input, malformed }: Opening,
): Promise<Plan<Opened>> {
  const { tenantId, applicationId } = actor
  const requester = input.requestedBy ?? null
  const scope = `reviewCases.open:${applicationId}`
  const { idempotencyKey } = input
  // Malformed keys never reach the store.
  const found = await unit.read([
    ...standingReads(actor),
    ...(malformed
      ? []
      : [
          routingOf(tenantId),
          openCaseAt({ ...input, tenantId, applicationId }),
          receiptOf({ tenantId, scope, idempotencyKey }),
          get(sessionAliases, [tenantId, applicationId, input.sessionId]),
          marksOf(tenantId),
          ...(host.checkpoints ? [host.checkpoints.read(actor)] : []),
          ...(requester === null ? [] : [get(members, [tenantId, requester])]),
        ]),
  ])
  const able = standingOf(actor, 'openCases', found)
  if (!able.ok) return refusal(able)
  if (malformed) return refusal(malformed)
  const [, applied, routed, held, used, foundAlias, marked, ...rest] = found
  const placed = host.checkpoints?.idOf(actor, rest[0], input.checkpointId)
  const checkpointId = placed?.checkpointId ?? input.checkpointId
  const known = placed ? rest[1] : rest[0]
  const scene = sceneFrom(unit, routed, applied)
  const { at } = scene
  const isErased = async (review: ReviewCase): Promise<boolean> =>
    (await hiddenTexts(unit, erasingIn(marked), [review])).has(review)
  const shown = async (review: ReviewCase): Promise<Opened> =>
    asOpened((await isErased(review)) ? shownErased(review, scene) : review, at)
  const alias = one(sessionAliases, foundAlias)
  // A dissolved session's cases are those of the one that took its steps.
  const sessionId = alias?.row.sessionId ?? input.sessionId
  // A case may be open under the id as it was given: a step's id, or an id from before a policy.
  const elsewhere =
    one(reviewCases, held) || (!alias && checkpointId === input.checkpointId)
      ? []
      : await unit.read(
          [input.checkpointId, checkpointId].map((each) =>
            openCaseAt({ tenantId, applicationId, sessionId, checkpointId: each }),
          ),
        )
  const [open = null] = [held, ...elsewhere].flatMap((each) => one(reviewCases, each) ?? [])
  const subject = open?.row.reviewCaseId ?? unit.id('rc')
  const receipt = checkReceipt(used, {
    tenantId,
    applicationId,
    scope,
    idempotencyKey,
    fingerprint: fingerprintOf(input),
    subject,
    createdAt: unit.now,
  })
  if (receipt.kind === 'conflict') return refusal(receipt)
  if (receipt.kind === 'repeat') return repeated(unit, receipt.subject, open, shown)
  const late = refuseErrors(checkDeadlines(input, at))
  if (late) return refusal(late)
  if (open && (await isErased(open.row))) return refusal(leftToErasure)
  if (open && open.row.expiresAt <= at) return answer({ lapsed: open.row })
  if (requester !== null && !one(members, known)) return refusal(unknownRequester(requester))
  const token = input.resumeToken ?? null
  if (open) {
    const joined = joinedCase(host, scene, open, { actor, input })
    if (!joined.ok) return refusal(joined)
    const { puts, checks, appends } = joined.value.changes
    return commit(
      { puts: [...puts, receipt.put], checks: [...checks, ...able.value.checks], appends },
      await shown(joined.value.review),
    )
  }

  const owner = { reviewCaseId: subject, tenantId, applicationId }
  const moved = newCase(
    { ...input, sessionId, checkpointId },
    {
      ...owner,
      resumeToken: token === null ? null : sealToken(host.sealer, owner, token),
      at,
      by: actorName(actor),
    },
  )
  const oversize = tooLarge('open', moved.case)
  if (oversize) return { kind: 'refuse', refusal: oversize }
  const changes = changesOf(host, scene, null, moved, actor)
  return commit(
    {
      ...changes,
      puts: [...changes.puts, receipt.put, schedule(deadlineItem(moved.case))],
      checks: [
        ...changes.checks,
        ...able.value.checks,
        ...(placed ? [placed.check] : []),
        {
          in: sessionAliases.name,
          key: [tenantId, applicationId, input.sessionId],
          version: alias?.version ?? 0,
        },
      ],
    },
    asOpened((await isErased(moved.case)) ? withoutContent(moved.case) : moved.case, at),
  )
}

const leftToErasure = refuse(
  'busy',
  'the case at this checkpoint is being cancelled, since the data of its subject is erased; nothing was opened',
  { retryAfter: 1 },
)

/** The open case that an opening finds: one of a policy is adopted (row 14), another is left as it is. */
function joinedCase(
  host: ReviewHost,
  scene: Scene,
  open: Versioned<ReviewCase>,
  { actor, input }: Pick<Opening, 'actor' | 'input'>,
): Result<{ readonly review: ReviewCase; readonly changes: Changes }> {
  const { resumeToken = null, requestedBy = null, presentation } = input
  const decided = decide(
    open.row,
    {
      type: 'adopt',
      presentation,
      resumeToken: resumeToken === null ? null : sealToken(host.sealer, open.row, resumeToken),
      requestedBy,
    },
    contextOf(actor, scene),
  )
  if (decided.kind === 'refused') return { ok: false, refusal: decided.refusal }
  if (decided.kind === 'moved')
    return ok({ review: decided.case, changes: changesOf(host, scene, open, decided, actor) })
  const { reviewCaseId } = open.row
  const check = { in: reviewCases.name, key: [reviewCaseId], version: open.version } as const
  return ok({ review: open.row, changes: { puts: [], checks: [check], appends: [] } })
}

/** The case that the first request of a key led to; most often the one that is open at its checkpoint. */
async function repeated(
  unit: UnitOfWork,
  reviewCaseId: string,
  open: Versioned<ReviewCase> | null,
  shown: (review: ReviewCase) => Promise<Opened>,
): Promise<Plan<Opened>> {
  if (open?.row.reviewCaseId === reviewCaseId) return answer(await shown(open.row))
  const [found] = await unit.read([caseOf(reviewCaseId)])
  const before = one(reviewCases, found)
  return before
    ? answer(await shown(before.row))
    : refusal(refuse('not_found', 'the case that this idempotencyKey opened is gone'))
}

function asOpened(review: ReviewCase, at: number): Opened {
  return review.state === 'open' && review.expiresAt <= at ? { lapsed: review } : { review }
}

/**
 * Digest of the request without its key; an absent member equals null. Without its deadlines too, which a caller counts
 * anew each time that it asks: they are those of the first request (decision 105).
 */
function fingerprintOf(input: OpenCase): string {
  return digestOf({
    sessionId: input.sessionId,
    stepId: input.stepId ?? null,
    checkpointId: input.checkpointId,
    resumeToken: input.resumeToken ?? null,
    reasonCategory: input.reasonCategory,
    reviewTier: input.reviewTier ?? null,
    // As receipts of requests without deadlines have always been made.
    dueAt: null,
    expiresAt: null,
    presentation: input.presentation,
    requestedBy: input.requestedBy ?? null,
    policyResults: input.policyResults ?? [],
  })
}

function unknownRequester(requester: string): ReturnType<typeof refuse> {
  const expected = 'expected the id of a member of the organization or null'
  return refuseErrors([wrong('/requestedBy', `${expected}, got ${JSON.stringify(requester)}`)])
}
