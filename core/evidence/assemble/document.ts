import { applicationStages } from '../../applications/view.ts'
import type { Slices } from '../../base/json/in-slices.ts'
import type { PolicyResult, StoredStep } from '../../content/records.ts'
import { isPseudonym } from '../../content/vault/pseudonym.ts'
import type { SessionView, StepView } from '../../content/view.ts'
import { planOf } from '../../kernel/callers/plans.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { flagView } from '../../policies/flags/records.ts'
import { annotationView, reviewView } from '../../policies/sessions/records.ts'
import { caseView } from '../../review/present-case.ts'
import type { ReviewCase } from '../../review/records.ts'
import { sessionView, stepView } from '../../sessions/present.ts'
import { contentOf, payloadView } from '../../sessions/read-content.ts'
import type { SealedCase } from '../../sessions/seal/prove-case.ts'
import { policyResultView } from '../../sessions/seal/record.ts'
import type { EvidenceScore } from '../../sessions/seal/session-record.ts'
import type { CaseIntegrity, EvidenceCase, EvidenceDocument } from '../model.ts'
import type { Contents } from './contents.ts'
import { payloadsOf, type SessionFacts } from './facts.ts'
import { integrityOf, sealedCase } from './integrity.ts'

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
  const { session, steps } = facts
  const views: StepView[] = []
  const sums = createSums()
  for (const step of steps) {
    if (slices.spend(step.payloads.reduce((sum, { length }) => sum + length, 0))) yield
    const view = viewOf(step, contents)
    views.push(view)
    sums.add(step)
    sums.addStatus(view.payloadStatus)
  }
  const metadata = session.payloads.find(({ field }) => field === 'metadata')
  const text = metadata ? contents.textOf(metadata) : null
  for (const { payload } of payloadsOf(session, steps))
    if (contents.textOf(payload) === null) sums.addErased(payload.subject)
  if (metadata && text === null) sums.addUnreadable()
  const outline = outlineOf(facts, sums, host)
  const { asOf, tenantId, organizationName, application, erasure, ...rest } = outline
  return {
    evidenceVersion: '1.0',
    generatedAt: isoTime(now),
    asOf,
    tenantId,
    organizationName,
    application,
    session: { ...rest.session, metadata: text === null ? null : contentOf(text).content },
    steps: views,
    policyResults: rest.policyResults,
    reviewCases: rest.reviewCases,
    sessionReviews: rest.sessionReviews,
    annotations: rest.annotations,
    flags: rest.flags,
    scores: rest.scores,
    integrity: integrityOf(facts, contents),
    erasure,
  }
}

/** Sums over all steps of a document. */
export interface StepSums {
  readonly policyResults: readonly PolicyResult[]
  readonly scores: readonly EvidenceScore[]
  /** Ms of the newest receipt. */
  readonly newest: number
  readonly readable: number
  readonly erased: number
  /** Payloads of the session itself that can't be read. */
  readonly unreadable: number
  /** Pseudonyms. */
  readonly erasedSubjects: ReadonlySet<string>
}

/** Sums that steps are added to one by one. */
export interface OpenSums extends StepSums {
  add(step: StoredStep): void
  addStatus(status: StepView['payloadStatus']): void
  /** Of a payload that can't be read, the vault's subject. */
  addErased(subject: string): void
  addUnreadable(): void
}

export function createSums(): OpenSums {
  const policyResults: PolicyResult[] = []
  const scores: EvidenceScore[] = []
  const erasedSubjects = new Set<string>()
  const sums = {
    policyResults,
    scores,
    newest: 0,
    readable: 0,
    erased: 0,
    unreadable: 0,
    erasedSubjects,
    add(step: StoredStep): void {
      policyResults.push(...step.policyResults)
      for (const score of step.scores) scores.push({ ...score, stepId: step.stepId })
      sums.newest = Math.max(sums.newest, step.receivedAt)
    },
    addStatus(status: StepView['payloadStatus']): void {
      if (status === 'erased') sums.erased++
      else if (status === 'readable') sums.readable++
    },
    addErased(subject: string): void {
      if (isPseudonym(subject)) erasedSubjects.add(subject)
    },
    addUnreadable(): void {
      sums.unreadable++
    },
  }
  return sums
}

/** A document without its steps, its own content and its seal. */
export type EvidenceOutline = Omit<
  EvidenceDocument,
  'evidenceVersion' | 'generatedAt' | 'steps' | 'integrity' | 'signatures'
>

/** A document without its steps and its seal; the session without its metadata. */
export function outlineOf(facts: SessionFacts, sums: StepSums, host: CaseHost): EvidenceOutline {
  const { tenant, application, session, cases, flags, annotations, reviews } = facts
  return {
    asOf: isoTime(newestFact(facts, sums)),
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
        retentionDays: planOf(tenant).retentionDays,
      }),
      payloadStatus: statusOf(session.payloadStatus, sums),
    },
    policyResults: [...session.policyResults, ...sums.policyResults].map(policyResultView),
    reviewCases: cases.map((review) => evidenceCase(review, sealedCase(facts, review), host)),
    sessionReviews: reviews.map(reviewView),
    annotations: annotations.map(annotationView),
    flags: flags.map(flagView),
    scores: [
      ...session.scores.map((score): EvidenceScore => ({ ...score, stepId: null })),
      ...sums.scores,
    ],
    erasure: {
      erasedSubjects: [...sums.erasedSubjects].sort(),
      payloadsUnreadable: sums.erased + sums.unreadable,
    },
  }
}

/** The step with its content; one whose subject was erased says so, whatever its row says yet. */
function viewOf(step: StoredStep, contents: Contents): StepView {
  const payload = payloadView(step.payloads, contents.textOf)
  const erased = step.payloads.length > 0 && payload === null
  return { ...stepView(step, payload), ...(erased && { payloadStatus: 'erased' as const }) }
}

function statusOf(
  stored: SessionView['payloadStatus'],
  { erased, readable }: StepSums,
): SessionView['payloadStatus'] {
  if (erased === 0) return stored
  return readable > 0 ? 'partly_erased' : 'erased'
}

/** A case as its evidence. */
export function evidenceCase(
  review: ReviewCase,
  sealed: SealedCase | null,
  host: CaseHost,
): EvidenceCase {
  const {
    adopted: _,
    decisionSignature: __,
    checkpoint,
    ...view
  } = caseView(review, { kind: 'system' }, host)
  const { reviewer, commentDigest, responseDigest, nonces, decisionSignature } = review
  return {
    ...view,
    reviewer,
    commentDigest,
    responseDigest,
    nonces,
    decisionSignature,
    checkpoint: { checkpointId: checkpoint.checkpointId },
    integrity: sealed ? { ...sealed, leafInputStatus: 'present' } : notSealed,
  }
}

const notSealed: CaseIntegrity = {
  leafInput: null,
  leafInputStatus: 'not_sealed',
  leafHash: null,
  merkle: null,
  anchor: null,
}

/** Ms of the newest fact in the document. */
function newestFact(
  { session, cases, flags, annotations, reviews, seals, caseSeals, anchors }: SessionFacts,
  { newest }: StepSums,
): number {
  return Math.max(
    session.lastReceivedAt,
    session.completedAt ?? 0,
    newest,
    ...cases.map(({ updatedAt }) => updatedAt),
    ...flags.map(({ raisedAt, clearedAt }) => Math.max(raisedAt, clearedAt ?? 0)),
    ...annotations.map(({ createdAt }) => createdAt),
    ...reviews.map(({ reviewedAt }) => reviewedAt),
    ...[...seals, ...caseSeals.values()].map(({ sealedAt }) => sealedAt ?? 0),
    ...[...anchors.values()].map(({ anchoredAt }) => anchoredAt),
  )
}
