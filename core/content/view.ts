import { customerKeyTypes } from '../kernel/callers/actor.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { listOf, object, recordOf } from '../kernel/members.ts'
import { count } from '../kernel/page.ts'
import {
  anything,
  flag,
  type InsOf,
  just,
  line,
  number,
  numberFrom,
  type OutsOf,
  oneOf,
  pattern,
  type RowsOf,
  type Shape,
  time,
} from '../kernel/shape.ts'
import { anyText, digest, fromOne } from '../kernel/usual.ts'
import { optional, orNull } from '../kernel/wrap.ts'
import { payloadStatuses } from './payload-records.ts'
import { sessionOrigins, sessionStatuses, stepContent, stepFacts } from './records.ts'
import type { Json } from './span.ts'
import { pseudonymForm } from './vault/pseudonym.ts'

const id = line(longest.id)
/** Content in clear text. */
const content = anything as Shape<Json>

/** The session of an operation; its application where several have one with this id. */
export const ofOneSession = { sessionId: id, applicationId: optional(id) }
/** As callers name a session. */
export interface NamedSession extends RowsOf<typeof ofOneSession> {}

export const shownSession = {
  sessionId: id,
  applicationId: id,
  origin: oneOf(sessionOrigins),
  status: oneOf(sessionStatuses),
  startedAt: time,
  /** Null while it runs. */
  endedAt: orNull(time),
  durationMs: orNull(count),
  /** A pseudonym. */
  dataSubjectId: orNull(id),
  agent: orNull(object({ name: anyText, version: orNull(anyText) })),
  models: listOf(anyText),
  /** Null where it gave none, and after an erasure; null in lists. */
  metadata: content,
  stepCount: count,
  errorCount: count,
  inputTokens: count,
  outputTokens: count,
  qualityScore: orNull(numberFrom(0, 100)),
  openFlags: count,
  openReviewCases: count,
  reviewState: orNull(oneOf(['approved', 'rejected'])),
  revision: fromOne,
  sealed: orNull(object({ batchId: id, leafIndex: count })),
  payloadStatus: oneOf(payloadStatuses),
  /** Whether a source of its steps said that it dropped attributes, events or links. */
  incompleteAtSource: flag,
  receivedAt: time,
  completedAt: orNull(time),
  /** When retention removes it, unless a hold or an open case keeps it. */
  removeAfter: orNull(time),
}
/** A session; times are ISO 8601 UTC. */
export interface SessionView extends OutsOf<typeof shownSession> {}
export const sessionShape = object(shownSession, 'Session')

export const shownScore = { name: anyText, value: number, label: orNull(anyText) }
/** A score that came with the data. */
export interface ScoreView extends OutsOf<typeof shownScore> {}

const payload = {
  input: content,
  output: content,
  attributes: content,
  /** By field, 64 hex digits. */
  nonces: recordOf(anyText, digest, Number.MAX_SAFE_INTEGER),
}
/** Content of a step in clear text, with the nonces that its digests cover. */
export interface PayloadView extends OutsOf<typeof payload> {}

export const shownStep = {
  stepId: id,
  ...stepFacts,
  scores: listOf(object(shownScore)),
  /** Null in lists, and where nothing can be read. */
  payload: orNull(object(payload)),
  payloadStatus: stepContent,
}
/** A step of a session. */
export interface StepView extends OutsOf<typeof shownStep> {}
export const stepShape = object(shownStep, 'Step')

/** A number with one decimal at most, as a query has it. */
const tenths = /^\d{1,3}(\.\d)?$/
const quality: Shape<number> = {
  ...number,
  fromText: (given) => (tenths.test(given) ? Number(given) : given),
  json: { input: { type: 'string', pattern: tenths.source }, answer: number.json.answer },
}

/** Which sessions a list shows. */
export const sessionFilter = {
  applicationId: optional(id),
  status: optional(oneOf(sessionStatuses)),
  origin: optional(oneOf(sessionOrigins)),
  /** `from ≤ startedAt < until`. */
  from: optional(time),
  until: optional(time),
  flagged: optional(flag),
  openReview: optional(flag),
  // A query stands in logs and histories: nobody is named in one otherwise.
  dataSubjectId: optional(pattern(pseudonymForm, 'a pseudonym, sub_ and 26 characters', 30)),
  minQuality: optional(quality),
  maxQuality: optional(quality),
  sort: optional(oneOf(['-startedAt', 'startedAt'])),
}
/** Which sessions a list shows; times are ms. */
export interface SessionFilter extends InsOf<typeof sessionFilter> {}

const batch = {
  batchId: id,
  merkleRoot: digest,
  treeSize: fromOne,
  accepted: count,
  duplicates: count,
  sessions: listOf(
    object({
      sessionId: id,
      leafIndex: count,
      leafHash: digest,
      status: oneOf(['accepted', 'duplicate']),
      reviewCaseIds: listOf(id),
    }),
  ),
}
/** The answer to a submission, and of its batch later. */
export interface BatchView extends OutsOf<typeof batch> {}
export const batchShape = object(batch, 'Batch')

/** The members of a ledger's entry are null until the ledger took it. */
export const shownAnchor = {
  anchorVersion: orNull(just('1.0')),
  ledger: orNull(anyText),
  sequence: orNull(fromOne),
  commitment: orNull(digest),
  previousHash: orNull(digest),
  anchoredAt: orNull(time),
  keyId: orNull(anyText),
  signature: orNull(anyText),
  entryHash: orNull(digest),
  /** Links root and commitment; null in the list of anchors. */
  nonce: orNull(digest),
  /** `pending` before the ledger took it. */
  status: oneOf(['pending', 'recorded', 'submitted', 'included']),
  /** Base64 of what a time-stamping authority answered for `entryHash` (RFC 3161, `TimeStampResp`); null without one. */
  timeStamp: orNull(anyText),
}
/** The anchor of a batch. */
export interface AnchorView extends OutsOf<typeof shownAnchor> {}
export const anchorShape = object(shownAnchor, 'Anchor')

export const shownPlace = {
  batchId: id,
  leafIndex: count,
  treeSize: fromOne,
  inclusionPath: listOf(digest),
  merkleRoot: digest,
}
/** A leaf's place in its batch's tree. */
export interface PlaceView extends OutsOf<typeof shownPlace> {}

/** Proof of any leaf. */
export const shownInclusion = {
  hashAlgorithm: just('rfc9162-sha256'),
  ...shownPlace,
  leafHash: digest,
  anchor: anchorShape,
}
const shownProof = {
  sessionId: id,
  applicationId: id,
  revision: fromOne,
  ...shownInclusion,
}
/** Proof that a session lies under a Merkle root (RFC 9162). */
export interface ProofView extends OutsOf<typeof shownProof> {}
export const proofShape = object(shownProof, 'Proof')

const usage = {
  applicationId: id,
  keyId: id,
  type: oneOf(customerKeyTypes),
  ratePerMinute: fromOne,
  sessionsUsed: count,
  /** Null: without a limit. */
  sessionsPerMonth: orNull(count),
  periodEnd: time,
}
/** What a customer key has used. */
export interface UsageView extends OutsOf<typeof usage> {}
export const usageShape = object(usage, 'Usage')
