import { planOf } from '../../access/plans.ts'
import { applicationStages } from '../../applications/view.ts'
import { sessionView, stepView } from '../../ingest/present.ts'
import { policyResultView } from '../../ingest/seal/record.ts'
import type { Slices } from '../../json/in-slices.ts'
import { isoTime } from '../../ledger/iso-time.ts'
import { isPseudonym } from '../../privacy/pseudonym.ts'
import type { EvidenceCase, EvidenceDocument, EvidenceScore } from '../../proof/model.ts'
import { caseView } from '../../review/present-case.ts'
import type { ReviewCase } from '../../review/records.ts'
import type { StoredStep } from '../../sessions/records.ts'
import type { PayloadView, StepView } from '../../sessions/view.ts'
import { annotationView } from '../../signals/sessions/annotations.ts'
import { flagView } from '../../signals/sessions/flags.ts'
import { reviewView } from '../../signals/sessions/reviews.ts'
import type { Contents } from './contents.ts'
import { payloadsOf, type SessionFacts } from './facts.ts'
import { integrityOf } from './integrity.ts'

/** An evidence document that is not signed yet. */
export type UnsignedEvidence = Omit<EvidenceDocument, 'signatures'>

/** What presenting a case needs. */
export type CaseHost = Parameters<typeof caseView>[2]

/** The evidence document of a session, by what was read of it, with pauses between its steps; `now` is ms. */
export function* evidenceOf(
  facts: SessionFacts,
  contents: Contents,
  { now, host }: { readonly now: number; readonly host: CaseHost },
  slices: Slices,
): Generator<undefined, UnsignedEvidence> {
  const { tenant, application, session, steps, cases, flags, annotations, reviews } = facts
  const told: StepView[] = []
  for (const step of steps) {
    if (slices.spend(step.payloads.reduce((sum, { length }) => sum + length, 0))) yield
    told.push(toldStep(step, contents))
  }
  const metadata = session.payloads.find(({ field }) => field === 'metadata')
  const metadataText = metadata ? contents.textOf(metadata) : null
  const unreadable =
    told.filter(({ payloadStatus }) => payloadStatus === 'erased').length +
    (metadata && metadataText === null ? 1 : 0)
  return {
    evidenceVersion: '1.0',
    generatedAt: isoTime(now),
    asOf: isoTime(newestFact(facts)),
    tenantId: tenant.tenantId,
    organizationName: tenant.name,
    application: {
      applicationId: application.applicationId,
      name: application.name,
      stage: application.stage ?? applicationStages[0],
    },
    session: {
      ...sessionView(session, {
        openReviewCases: cases.filter(({ state }) => state === 'open').length,
        metadata: metadataText === null ? null : contentOf(metadataText).content,
        retentionDays: planOf(tenant).retentionDays,
      }),
      payloadStatus: statusOf(session.payloadStatus, told),
    },
    steps: told,
    policyResults: [
      ...session.policyResults,
      ...steps.flatMap(({ policyResults }) => policyResults),
    ].map(policyResultView),
    reviewCases: cases.map((review) => evidenceCase(review, host)),
    sessionReviews: reviews.map(reviewView),
    annotations: annotations.map(annotationView),
    flags: flags.map(flagView),
    scores: [
      ...session.scores.map((score): EvidenceScore => ({ ...score, stepId: null })),
      ...steps.flatMap(({ stepId, scores }) =>
        scores.map((score): EvidenceScore => ({ ...score, stepId })),
      ),
    ],
    integrity: integrityOf(facts, contents),
    erasure: { erasedSubjects: erasedIn(facts, contents), payloadsUnreadable: unreadable },
  }
}

/** The step with its content; one whose subject was erased says so, whatever its row says yet. */
function toldStep(step: StoredStep, contents: Contents): StepView {
  const payload = payloadOf(step, contents)
  const erased = step.payloads.length > 0 && payload === null
  return { ...stepView(step, payload), ...(erased && { payloadStatus: 'erased' as const }) }
}

function payloadOf({ payloads }: StoredStep, contents: Contents): PayloadView | null {
  const read = payloads.flatMap((payload) => {
    const text = contents.textOf(payload)
    return text === null ? [] : [[payload.field, contentOf(text)] as const]
  })
  if (read.length === 0) return null
  const content = Object.fromEntries(read.map(([field, each]) => [field, each.content]))
  return {
    input: content.input ?? null,
    output: content.output ?? null,
    attributes: content.attributes ?? null,
    nonces: Object.fromEntries(read.map(([field, { nonce }]) => [field, nonce])),
  }
}

/** A content and its nonce, of the text that was sealed. */
function contentOf(text: string): { readonly nonce: string; readonly content: unknown } {
  const [nonce, content] = JSON.parse(text) as [string, unknown]
  return { nonce, content }
}

function statusOf(
  stored: EvidenceDocument['session']['payloadStatus'],
  steps: readonly StepView[],
): EvidenceDocument['session']['payloadStatus'] {
  const erased = steps.filter(({ payloadStatus }) => payloadStatus === 'erased').length
  if (erased === 0) return stored
  return steps.some(({ payloadStatus }) => payloadStatus === 'readable')
    ? 'partly_erased'
    : 'erased'
}

/** A case as its record, without what its reviewer was shown; comments and answers are of the record. */
export function evidenceCase(review: ReviewCase, host: CaseHost): EvidenceCase {
  const view = caseView(review, { kind: 'system' }, host)
  // The history tells of the adoption.
  const { presentation: _, adopted: __, checkpoint, ...rest } = view
  return { ...rest, checkpoint: { checkpointId: checkpoint.checkpointId } }
}

function erasedIn({ session, steps }: SessionFacts, contents: Contents): readonly string[] {
  const erased = payloadsOf(session, steps).flatMap(({ payload }) =>
    isPseudonym(payload.subject) && contents.textOf(payload) === null ? [payload.subject] : [],
  )
  return [...new Set(erased)].sort()
}

/** Ms of the newest fact that the document tells. */
function newestFact({
  session,
  steps,
  cases,
  flags,
  annotations,
  reviews,
  seals,
  anchors,
}: SessionFacts): number {
  return Math.max(
    session.lastReceivedAt,
    session.completedAt ?? 0,
    ...steps.map(({ receivedAt }) => receivedAt),
    ...cases.map(({ updatedAt }) => updatedAt),
    ...flags.map(({ raisedAt, clearedAt }) => Math.max(raisedAt, clearedAt ?? 0)),
    ...annotations.map(({ createdAt }) => createdAt),
    ...reviews.map(({ reviewedAt }) => reviewedAt),
    ...seals.map(({ sealedAt }) => sealedAt),
    ...[...anchors.values()].map(({ anchoredAt }) => anchoredAt),
  )
}
