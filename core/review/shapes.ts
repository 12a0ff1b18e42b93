import { type Decision, reasonGroups, reviewTiers } from '../base/events/review.ts'
import { roles } from '../kernel/callers/actor.ts'
import { wrong } from '../kernel/ledger/input-errors.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { listOf, object } from '../kernel/members.ts'
import { count } from '../kernel/page.ts'
import {
  anything,
  flag,
  just,
  line,
  type Named,
  number,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  stored,
  text,
  time,
  whole,
} from '../kernel/shape.ts'
import { digest, fromOne } from '../kernel/usual.ts'
import { optional, orNull, shownBy } from '../kernel/wrap.ts'
import type { AttemptRecord } from '../outbox/records.ts'
import type { StepName } from './machine/steps.ts'
import { shownSignature, storedSignature, textNonces } from './signing/shapes.ts'

const id = line(longest.id)

/** State of a case. */
export type CaseState = 'open' | 'decided' | 'cancelled' | 'expired'
const state: Shape<CaseState> = oneOf(['open', 'decided', 'cancelled', 'expired'])
const reviewTier = oneOf(reviewTiers)
const reasonCategory = oneOf([...reasonGroups.why, ...reasonGroups.else])

/** Any JSON; a case always has it, null where there is none. */
const json = anything as Shape<NonNullable<unknown> | null>

/**
 * What the assigned reviewer is shown: the application's own JSON document and, under `followUps`, what it answered
 * since as `{question, answer}`; `presentationDigest` is the digest of exactly this. A policy's case shows the policy's
 * document; once adopted, the application's own is in it as `application`.
 */
export type Presentation = Readonly<Record<string, unknown>>

const anyObject = { type: 'object', additionalProperties: {} }
/** Of a presentation, any JSON object. */
export const presentation: Shape<Presentation> = {
  ...(anything as Shape<Presentation>),
  faults: (value, at) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? []
      : [wrong(at, 'expected a JSON object')],
  json: { input: anyObject, answer: anyObject },
}

const followUp = {
  question: text(longest.question),
  askedAt: time,
  answer: orNull(text(longest.answer)),
  answeredAt: orNull(time),
}
/** A question to the application, and what it answered. */
export interface FollowUpRecord extends RowsOf<typeof followUp> {}

const step = {
  eventSequence: fromOne,
  caseVersion: fromOne,
  step: shownBy(stored<StepName>(), (name): string => name, { type: 'string' }),
  at: time,
  /** As `actorName`. */
  actor: line(longest.id),
}
/** One recorded step; those of rows 10 to 13 leave the case version as it is. */
export interface StepRecord extends RowsOf<typeof step> {}

const callback = object({
  /** `none` before the case is closed and where there is no callback to make. */
  state: oneOf(['none', 'pending', 'received', 'failed']),
  /** Since it was owed or last replayed. */
  attempts: count,
  lastAttemptAt: orNull(time),
})

/** How a reviewer had signed in; `host`: to a host that has sessions of its own. */
export const signIns = ['password', 'passkey', 'provider', 'host'] as const

const reviewer = {
  name: text(longest.name),
  role: oneOf(roles),
  signIn: oneOf(signIns),
}
/** Who decided a case, as they were at the decision. */
export interface Reviewer extends RowsOf<typeof reviewer> {}

/** What is stored of a decision for its seal and its evidence, and shown in evidence alone. */
export const sealedMembers = {
  /** Null where nobody decided. */
  reviewer: orNull(object(reviewer, 'EvidenceReviewer')),
  /** SHA-256 of the canonical JSON of `[nonce, comment]`; null where there is none. Stays after an erasure. */
  commentDigest: orNull(digest),
  /** As `commentDigest`, of the response. */
  responseDigest: orNull(digest),
  /** Null where there is no text, and after an erasure. */
  nonces: textNonces,
}

/** What is stored of a case and shown as it is. */
export const caseMembers = {
  reviewCaseId: id,
  tenantId: id,
  applicationId: id,
  sessionId: id,
  stepId: orNull(id),
  caseVersion: fromOne,
  eventSequence: fromOne,
  state,
  /** `follow_up_required` while a question waits for its answer, then null again; else how the case ended. */
  decision: orNull(
    oneOf([
      'approved',
      'rejected',
      'follow_up_required',
      'response_submitted',
      'cancelled',
      'expired',
    ]) satisfies Shape<Decision>,
  ),
  reviewTier,
  dueAt: time,
  expiresAt: time,
  overdueAt: orNull(time),
  /** Why a human must look at it; the reason of a step is in its event. */
  reasonCategory,
  cancellationReason: orNull(oneOf(reasonGroups.cancellation)),
  /** Null after an erasure; its digest stays. */
  presentation: orNull(presentation),
  /** Of `presentation`; null until the case has its first assignee. */
  presentationDigest: orNull(digest),
  policyResults: listOf(anything),
  requestedBy: orNull(id),
  createdAt: time,
  updatedAt: time,
  closedAt: orNull(time),
  decidedBy: orNull(id),
  reviewerComment: orNull(text(longest.comment)),
  response: json,
  followUps: listOf(object(followUp)),
  callback,
  continuation: orNull(
    object({
      outcome: oneOf(reasonGroups.continuation),
      reportedAt: time,
      detail: orNull(text(longest.detail)),
    }),
  ),
  history: listOf(object(step)),
}

/** A case as callers see it. */
export const shownCase = {
  schemaVersion: just(1),
  ...caseMembers,
  caseUrl: text(Number.MAX_SAFE_INTEGER),
  assignment: orNull(object({ reviewerId: id, assignedAt: time })),
  checkpoint: object({
    checkpointId: id,
    /** There only for the application's own key. */
    resumeToken: optional(orNull(text(longest.resumeToken))),
  }),
  /** A policy rule opened the case, and the application's own opening at its checkpoint took it over. */
  adopted: flag,
  /** The reviewer's own signature of the decision; null where there is none. */
  decisionSignature: orNull(shownSignature),
}
/** The case record at `caseUrl`; times are ISO 8601 UTC. */
export interface CaseView extends OutsOf<typeof shownCase> {}
/** The answer that is a case. */
export const caseShape: Named<typeof shownCase, CaseView> = object(shownCase, 'Case')

const { adopted: _, decisionSignature: __, ...inEvidence } = shownCase
/** A case in the evidence of its session; its history has the adoption. */
export const caseInEvidence = {
  ...inEvidence,
  ...sealedMembers,
  checkpoint: object({ checkpointId: id }),
  /** The reviewer's own signature; null where the service recorded the decision. */
  decisionSignature: orNull(storedSignature),
}

const shownRow = { ...shownCase, presentation: optional(shownCase.presentation) }
/** A case in a list; its presentation, which may be a mebibyte, only where it was asked for. */
export interface CaseRow extends OutsOf<typeof shownRow> {}
export const caseRowShape: Named<typeof shownRow, CaseRow> = object(shownRow, 'CaseRow')

const shownCallback = { reviewCaseId: id, callback }
/** What members who may not read a case see of it. */
export interface CaseCallbackView extends OutsOf<typeof shownCallback> {}
/** The case, or its callback alone for members who may not read it. */
export const replayedShape: Shape<unknown, unknown, CaseView | CaseCallbackView> = {
  ...(anything as Shape<never>),
  json: {
    input: {},
    answer: {
      title: 'Replayed',
      anyOf: [caseShape.json.answer, object(shownCallback).json.answer],
    },
  },
}

const attempt = {
  attemptId: id,
  /** The outcome's `id` and `webhook-id`. */
  callbackId: id,
  /** From 1, within the round; a replay begins another one. */
  attempt: fromOne,
  trigger: oneOf(['event', 'retry', 'test', 'replay', 'verification']) satisfies Shape<
    AttemptRecord['trigger']
  >,
  startedAt: time,
  latencyMs: number,
  outcome: oneOf(['delivered', 'failed']),
  error: orNull(text(Number.MAX_SAFE_INTEGER)),
  responseStatus: orNull(whole(0, 999)),
  /** SHA-256 of the body, hex; null once the callback is removed for its age or its content is erased. */
  bodySha256: orNull(digest),
}
/** One attempt to send the outcome callback of a case, without what was sent and answered. */
export interface CallbackAttemptView extends OutsOf<typeof attempt> {}
export const attemptShape: Named<typeof attempt, CallbackAttemptView> = object(
  attempt,
  'CallbackAttempt',
)
