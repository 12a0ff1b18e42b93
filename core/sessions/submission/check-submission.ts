import { reasonGroups, reviewTiers } from '../../base/events/review.ts'
import type { Slices } from '../../base/json/in-slices.ts'
import { type Json, stepTypes } from '../../content/span.ts'
import { checkLine } from '../../kernel/ledger/check-text.ts'
import { wrong } from '../../kernel/ledger/input-errors.ts'
import { ingestLimits, longest } from '../../kernel/ledger/limits.ts'
import type { FieldError } from '../../kernel/ledger/refusal.ts'
import { lengthOf } from '../accept/incoming.ts'
import { jsonBytes } from '../otlp/fit-content.ts'
import type { Submission } from './submitted.ts'

type Errors = readonly FieldError[]
type Given = Readonly<Record<string, unknown>>

/** Errors beyond these are not told. */
const mostErrors = 20
const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const hashForm = /^[0-9a-f]{64}$/
const effects = ['allow', 'deny', 'require_review']
const reasons = [...reasonGroups.why, ...reasonGroups.else]

/** Checks a submission, with pauses; nothing of it has been looked at before. */
export function* checkSubmission(
  { batchId, merkleRoot, sessions }: Submission,
  slices: Slices,
): Generator<undefined, Errors> {
  const errors = [
    ...required(batchId, '/batchId', ingestLimits.batchId),
    ...checkHash(merkleRoot, '/merkleRoot'),
    ...checkList(sessions, '/sessions', ingestLimits.sessionsPerBatch),
  ]
  if (!Array.isArray(sessions) || sessions.length === 0)
    return errors.length > 0 ? errors : [wrong('/sessions', 'expected at least one session')]
  if (errors.length > 0) return errors
  const seen = new Set<unknown>()
  const found: FieldError[] = []
  for (const [at, session] of sessions.entries()) {
    const pointer = `/sessions/${at}`
    found.push(...(yield* checkSession(session, pointer, slices)))
    if (seen.has(session?.sessionId))
      found.push(wrong(`${pointer}/sessionId`, 'expected each session once in a batch'))
    seen.add(session?.sessionId)
    if (found.length >= mostErrors) break
  }
  return found.slice(0, mostErrors)
}

function* checkSession(
  given: unknown,
  pointer: string,
  slices: Slices,
): Generator<undefined, Errors> {
  if (!isObject(given)) return [wrong(pointer, 'expected a session')]
  const { steps, ...beside } = given
  if (slices.spend(lengthOf(beside))) yield
  const errors = [
    ...required(given.sessionId, `${pointer}/sessionId`, longest.id),
    ...checkTimes(given, pointer),
    ...oneOf(given.status, ['completed', 'failed'], `${pointer}/status`),
    ...optionalLine(given.dataSubjectId, `${pointer}/dataSubjectId`),
    ...checkAgent(given.agent, `${pointer}/agent`),
    ...checkContent(given.metadata, `${pointer}/metadata`, true),
    ...checkList(steps, `${pointer}/steps`, ingestLimits.stepsPerSubmission),
    ...checkList(
      given.policyResults ?? [],
      `${pointer}/policyResults`,
      ingestLimits.resultsPerSubmission,
    ),
    ...checkList(given.scores ?? [], `${pointer}/scores`, ingestLimits.resultsPerSubmission),
  ]
  if (errors.length > 0) return errors
  const ids = new Set<unknown>()
  const found: FieldError[] = []
  for (const [at, step] of (steps as readonly unknown[]).entries()) {
    if (slices.spend(lengthOf(step))) yield
    const where = `${pointer}/steps/${at}`
    found.push(...checkStep(step, where))
    if (isObject(step)) {
      if (ids.has(step.stepId)) found.push(wrong(`${where}/stepId`, 'expected each step once'))
      ids.add(step.stepId)
    }
    if (found.length >= mostErrors) return found
  }
  found.push(
    ...checkOfSteps(given.policyResults, `${pointer}/policyResults`, ids, checkResult),
    ...checkOfSteps(given.scores, `${pointer}/scores`, ids, checkScore),
  )
  return found
}

/** Checks what a session says of itself or of its steps. */
function checkOfSteps(
  given: unknown,
  pointer: string,
  steps: ReadonlySet<unknown>,
  check: (item: Given, at: string) => Errors,
): Errors {
  return ((given ?? []) as readonly unknown[]).flatMap((item, at): Errors => {
    const where = `${pointer}/${at}`
    if (!isObject(item)) return [wrong(where, 'expected an object')]
    const { stepId = null } = item
    const isKnown = stepId === null || steps.has(stepId)
    return [
      ...check(item, where),
      ...(isKnown ? [] : [wrong(`${where}/stepId`, 'expected the id of a step of this session')]),
    ]
  })
}

function checkStep(given: unknown, pointer: string): Errors {
  if (!isObject(given)) return [wrong(pointer, 'expected a step')]
  return [
    ...required(given.stepId, `${pointer}/stepId`, longest.id),
    ...optionalLine(given.parentStepId, `${pointer}/parentStepId`),
    ...oneOf(given.type, stepTypes, `${pointer}/type`),
    ...required(given.name, `${pointer}/name`, longest.name),
    ...checkTimes(given, pointer),
    ...oneOf(given.status, ['ok', 'error'], `${pointer}/status`),
    ...optionalLine(given.model, `${pointer}/model`),
    ...optionalLine(given.toolName, `${pointer}/toolName`),
    ...optionalCount(given.inputTokens, `${pointer}/inputTokens`),
    ...optionalCount(given.outputTokens, `${pointer}/outputTokens`),
    ...optionalLine(given.dataSubjectId, `${pointer}/dataSubjectId`),
    ...optionalLine(given.checkpointId, `${pointer}/checkpointId`),
    ...checkCategories(given.dataCategories, `${pointer}/dataCategories`),
    ...checkAttributes(given.attributes, `${pointer}/attributes`),
    ...checkContent(given.input, `${pointer}/input`, false),
    ...checkContent(given.output, `${pointer}/output`, false),
  ]
}

function checkResult(given: Given, pointer: string): Errors {
  const { reasonCategory = null, reviewTier = null } = given
  return [
    ...required(given.ruleId, `${pointer}/ruleId`, longest.id),
    ...optionalLine(given.ruleName, `${pointer}/ruleName`),
    ...oneOf(given.effect, effects, `${pointer}/effect`),
    ...(reasonCategory === null ? [] : oneOf(reasonCategory, reasons, `${pointer}/reasonCategory`)),
    ...(reviewTier === null ? [] : oneOf(reviewTier, reviewTiers, `${pointer}/reviewTier`)),
  ]
}

function checkScore(given: Given, pointer: string): Errors {
  return [
    ...required(given.name, `${pointer}/name`, longest.name),
    ...(typeof given.value === 'number' && Number.isFinite(given.value)
      ? []
      : [wrong(`${pointer}/value`, 'expected a number')]),
    ...optionalLine(given.label, `${pointer}/label`),
  ]
}

function checkTimes({ startedAt, endedAt }: Given, pointer: string): Errors {
  const errors = [
    ...checkTime(startedAt, `${pointer}/startedAt`),
    ...checkTime(endedAt, `${pointer}/endedAt`),
  ]
  if (errors.length > 0) return errors
  return Date.parse(startedAt as string) > Date.parse(endedAt as string)
    ? [wrong(`${pointer}/endedAt`, 'expected a time not before startedAt')]
    : []
}

function checkHash(given: unknown, pointer: string): Errors {
  if (given === undefined) return [absent(pointer)]
  return typeof given === 'string' && hashForm.test(given)
    ? []
    : [wrong(pointer, 'expected 64 lower-case hex digits')]
}

function checkTime(given: unknown, pointer: string): Errors {
  return typeof given === 'string' && isTime(given)
    ? []
    : [wrong(pointer, 'expected an ISO 8601 time with its zone, from 1970 on')]
}

/** Of a day and an hour that there are: `Date.parse` takes 30 February for 2 March. */
function isTime(given: string): boolean {
  if (!isoForm.test(given) || !(Date.parse(given) >= 0)) return false
  const local = given.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)
  return new Date(`${local}Z`).toISOString().startsWith(local)
}

function checkAgent(given: unknown, pointer: string): Errors {
  if (given === null || given === undefined) return []
  if (!isObject(given)) return [wrong(pointer, 'expected an object')]
  return [
    ...required(given.name, `${pointer}/name`, longest.name),
    ...optionalLine(given.version, `${pointer}/version`),
  ]
}

function checkCategories(given: unknown, pointer: string): Errors {
  const errors = checkList(given ?? [], pointer, ingestLimits.attributesPerStep)
  if (errors.length > 0) return errors
  return ((given ?? []) as readonly unknown[]).flatMap((each, at) =>
    required(each, `${pointer}/${at}`, longest.id),
  )
}

function checkAttributes(given: unknown, pointer: string): Errors {
  const errors = checkContent(given, pointer, true)
  if (errors.length > 0 || !isObject(given)) return errors
  const keys = Object.keys(given)
  if (keys.length > ingestLimits.attributesPerStep)
    return [wrong(pointer, `expected at most ${ingestLimits.attributesPerStep} members`)]
  return keys.some((key) => key.length > ingestLimits.attributeKey)
    ? [wrong(pointer, `expected names of at most ${ingestLimits.attributeKey} characters`)]
    : []
}

function checkContent(given: unknown, pointer: string, named: boolean): Errors {
  if (given === null || given === undefined) return []
  if (named && !isObject(given)) return [wrong(pointer, 'expected an object')]
  return jsonBytes(given as Json) > ingestLimits.contentBytes
    ? [wrong(pointer, `expected at most ${ingestLimits.contentBytes} bytes of JSON`)]
    : []
}

function checkList(given: unknown, pointer: string, upTo: number): Errors {
  if (given === undefined) return [absent(pointer)]
  if (!Array.isArray(given)) return [wrong(pointer, 'expected an array')]
  return given.length > upTo ? [wrong(pointer, `expected at most ${upTo} items`)] : []
}

function required(given: unknown, pointer: string, upTo: number): Errors {
  if (given === undefined) return [absent(pointer)]
  if (typeof given !== 'string') return [wrong(pointer, `expected text, got ${typeof given}`)]
  return checkLine(given, pointer, upTo)
}

function absent(pointer: string): FieldError {
  return { ...wrong(pointer, 'expected a value, got none'), code: 'required' }
}

function optionalLine(given: unknown, pointer: string): Errors {
  return given === null || given === undefined ? [] : required(given, pointer, longest.id)
}

function optionalCount(given: unknown, pointer: string): Errors {
  if (given === null || given === undefined) return []
  return Number.isSafeInteger(given) && (given as number) >= 0
    ? []
    : [wrong(pointer, 'expected a whole number from 0')]
}

function oneOf(given: unknown, allowed: readonly string[], pointer: string): Errors {
  return typeof given === 'string' && allowed.includes(given)
    ? []
    : [wrong(pointer, `expected one of ${allowed.join(', ')}`)]
}

function isObject(given: unknown): given is Given {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}
