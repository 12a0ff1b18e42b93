import { reasonGroups, reviewTiers } from '../../base/events/review.ts'
import { type Json, stepTypes } from '../../content/span.ts'
import { wrong } from '../../kernel/ledger/input-errors.ts'
import { ingestLimits, longest } from '../../kernel/ledger/limits.ts'
import { listOf, openObject } from '../../kernel/members.ts'
import { count } from '../../kernel/page.ts'
import {
  anything,
  type InsOf,
  line,
  type Members,
  number,
  oneOf,
  pattern,
  type Shape,
} from '../../kernel/shape.ts'
import { digest } from '../../kernel/usual.ts'
import { checked, optional, orNull } from '../../kernel/wrap.ts'
import { effects } from '../../policies/rules/shapes.ts'
import { jsonBytes } from '../otlp/fit-content.ts'

const id = line(longest.id)
const name = line(longest.name)

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const isoMeans = 'an ISO 8601 time with its zone, from 1970 on'
const iso = pattern(isoForm, isoMeans, Number.MAX_SAFE_INTEGER)
/** Kept as it was sent, zone included: the leaf is a hash of that text. */
const time: Shape<string> = {
  ...iso,
  faults(value, at) {
    const faults = iso.faults(value, at)
    return faults.length > 0 || isTime(value as string)
      ? faults
      : [wrong(at, `expected ${isoMeans}`)]
  },
  json: { ...iso.json, input: { type: 'string', format: 'date-time', pattern: isoForm.source } },
}

/** Whether the day and the hour exist: `Date.parse` takes 30 February for 2 March. */
function isTime(given: string): boolean {
  if (!(Date.parse(given) >= 0)) return false
  const local = given.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)
  return new Date(`${local}Z`).toISOString().startsWith(local)
}

/** Members of any name. */
const members: Shape<Readonly<Record<string, unknown>>> = {
  ...(anything as Shape<Readonly<Record<string, unknown>>>),
  faults: (value, at) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? []
      : [wrong(at, 'expected an object')],
  json: { input: { type: 'object', additionalProperties: {} }, answer: { type: 'object' } },
}

function content<T>(shape: Shape<T>) {
  const most = ingestLimits.contentBytes
  return checked(shape, (value) =>
    jsonBytes(value as Json) > most ? `expected at most ${most} bytes of JSON` : null,
  )
}

const attributes = checked(content(members), (value) => {
  const { attributesPerStep, attributeKey } = ingestLimits
  const keys = Object.keys(value)
  if (keys.length > attributesPerStep) return `expected at most ${attributesPerStep} members`
  const isLong = keys.some((key) => key.length > attributeKey)
  return isLong ? `expected names of at most ${attributeKey} characters` : null
})

export const step = {
  stepId: id,
  parentStepId: orNull(id),
  type: oneOf(stepTypes),
  name,
  startedAt: time,
  endedAt: time,
  status: oneOf(['ok', 'error']),
  model: orNull(id),
  inputTokens: orNull(count),
  outputTokens: orNull(count),
  toolName: orNull(id),
  dataSubjectId: orNull(id),
  dataCategories: orNull(listOf(id, { most: ingestLimits.attributesPerStep })),
  checkpointId: orNull(id),
  attributes: orNull(attributes),
  input: optional(content(anything)),
  output: optional(content(anything)),
}
/** A step of a submitted session. */
export interface SubmittedStep extends InsOf<typeof step> {}

const result = {
  ruleId: id,
  ruleName: orNull(id),
  effect: oneOf(effects),
  stepId: orNull(id),
  reasonCategory: orNull(oneOf([...reasonGroups.why, ...reasonGroups.else])),
  reviewTier: orNull(oneOf(reviewTiers)),
}
/** What the application's own policy said of a session or a step. */
export interface SubmittedPolicyResult extends InsOf<typeof result> {}

const score = { name, value: number, label: orNull(id), stepId: orNull(id) }
/** A score of a session or a step. */
export interface SubmittedScore extends InsOf<typeof score> {}

const agent = { name, version: orNull(id) }
const mostSteps = { most: ingestLimits.stepsPerSubmission }
const mostResults = { most: ingestLimits.resultsPerSubmission }
const mostSessions = { least: 1, most: ingestLimits.sessionsPerBatch }

const session = {
  sessionId: id,
  startedAt: time,
  endedAt: time,
  status: oneOf(['completed', 'failed']),
  dataSubjectId: orNull(id),
  agent: orNull(openObject(agent)),
  metadata: orNull(content(members)),
  steps: listOf(openObject(step), mostSteps),
  policyResults: orNull(listOf(openObject(result), mostResults)),
  scores: orNull(listOf(openObject(score), mostResults)),
}
/** A session as an application submits it, whole and final; its leaf is the hash of exactly this. Times are ISO 8601. */
export interface SubmittedSession extends InsOf<typeof session> {}

const submission = {
  /** The application's own. */
  batchId: line(ingestLimits.batchId),
  /** Over the leaves of `sessions` in their order. */
  merkleRoot: digest,
  /** Members beyond those named are hashed, and ignored. */
  sessions: listOf(openObject(session), mostSessions),
}
/** A batch of sessions under a Merkle root. */
export interface Submission extends InsOf<typeof submission> {}
/** The whole shape, for the API's description; the core checks a submission in parts, by `beside`. */
export const submissionShape = openObject(submission)

/** Shapes that take any elements in `sessions` and `steps`: those are checked one by one. */
export const beside = {
  submission: { ...submission, sessions: listOf(anything, mostSessions) },
  session: { ...session, steps: listOf(anything, mostSteps) },
} satisfies Readonly<Record<string, Members>>

/** Whether a session has members beyond those named: they are hashed, and no redaction policy knows them. */
export function hasOtherMembers(given: SubmittedSession): boolean {
  const isOther = (value: object, named: Members) =>
    Object.keys(value).some((each) => !Object.hasOwn(named, each))
  return (
    isOther(given, session) ||
    isOther(given.agent ?? {}, agent) ||
    given.steps.some((each) => isOther(each, step)) ||
    (given.policyResults ?? []).some((each) => isOther(each, result)) ||
    (given.scores ?? []).some((each) => isOther(each, score))
  )
}
