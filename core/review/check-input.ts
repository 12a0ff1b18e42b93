import { CanonicalizationError, canonicalize } from '../base/canonical/canonicalize.ts'
import { reasonGroups, reviewTiers } from '../base/events/review.ts'
import { checkLine, checkText } from '../kernel/ledger/check-text.ts'
import { checkOneOf, type Errors, wrong } from '../kernel/ledger/input-errors.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { caseMs, longest, most } from '../kernel/ledger/limits.ts'
import { answersMember } from './machine/presentation-digest.ts'
import { type CaseFilter, caseStates, type OpenCase } from './view.ts'

/** The last time that a year of four digits can write (RFC 3339). */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Checks an opening, but for its deadlines against the clock. */
export function checkOpening(input: OpenCase): Errors {
  const { dueAt, expiresAt } = input
  return [
    ...checkLine(input.sessionId, '/sessionId', longest.id),
    ...checkLine(input.stepId, '/stepId', longest.id),
    ...checkLine(input.checkpointId, '/checkpointId', longest.id),
    ...checkLine(input.requestedBy, '/requestedBy', longest.id),
    ...checkLine(input.idempotencyKey, '/idempotencyKey', longest.id),
    ...checkText(input.resumeToken, '/resumeToken', longest.resumeToken),
    ...checkOneOf(
      input.reasonCategory,
      [...reasonGroups.why, ...reasonGroups.else],
      '/reasonCategory',
    ),
    ...(input.reviewTier === undefined
      ? []
      : checkOneOf(input.reviewTier, reviewTiers, '/reviewTier')),
    ...checkTime(dueAt, '/dueAt'),
    ...checkTime(expiresAt, '/expiresAt'),
    ...(dueAt !== undefined && expiresAt !== undefined && dueAt > expiresAt
      ? [wrong('/dueAt', 'expected a time not after expiresAt')]
      : []),
    ...checkPresentation(input.presentation),
    ...checkJson(input.policyResults ?? [], '/policyResults'),
    ...((input.policyResults?.length ?? 0) > most.policyResults
      ? [wrong('/policyResults', `expected at most ${most.policyResults} items`)]
      : []),
  ]
}

/** Checks the deadlines of an opening at `now`; not applied to a repeat under the same idempotency key. */
export function checkDeadlines({ dueAt, expiresAt }: OpenCase, now: number): Errors {
  return [...checkAhead(dueAt, '/dueAt', now), ...checkAhead(expiresAt, '/expiresAt', now)]
}

function checkAhead(value: number | undefined, pointer: string, now: number): Errors {
  if (value === undefined) return []
  if (value <= now)
    return [
      wrong(pointer, `expected a time after the opening, ${isoTime(now)}, got ${isoTime(value)}`),
    ]
  const last = now + caseMs
  return value > last
    ? [wrong(pointer, `expected a time until ${isoTime(last)}, got ${isoTime(value)}`)]
    : []
}

/** Checks a filter of the list; its members are query parameters. */
export function checkFilter(filter: CaseFilter): Errors {
  const { state, assignee, tier, applicationId, sessionId, include } = filter
  const errors = [
    ...(state === undefined ? [] : checkOneOf(state, caseStates, 'state')),
    ...checkLine(assignee, 'assignee', longest.id),
    ...checkLine(applicationId, 'applicationId', longest.id),
    ...checkLine(sessionId, 'sessionId', longest.id),
    ...(tier === undefined ? [] : checkOneOf(tier, reviewTiers, 'tier')),
    ...(include === undefined ? [] : checkOneOf(include, ['presentation'], 'include')),
  ]
  return errors.map(({ pointer, ...error }) => ({ ...error, pointer: null, parameter: pointer }))
}

function checkPresentation(presentation: OpenCase['presentation']): Errors {
  if (typeof presentation !== 'object' || presentation === null || Array.isArray(presentation))
    return [wrong('/presentation', 'expected a JSON object')]
  if (Object.hasOwn(presentation, answersMember))
    return [
      wrong(`/presentation/${answersMember}`, 'this member is where answered follow-ups are shown'),
    ]
  return checkJson(presentation, '/presentation')
}

function checkTime(value: number | undefined, pointer: string): Errors {
  return value === undefined || (Number.isSafeInteger(value) && value >= 0 && value <= lastTime)
    ? []
    : [wrong(pointer, `expected a time in ms since the epoch, at most ${lastTime}, got ${value}`)]
}

/** Checks that a value can be stored, hashed and sent as a JSON document. */
export function checkJson(value: unknown, pointer: string): Errors {
  try {
    // Plain data in JSON, but copying it by assignment sets an object's prototype.
    return /(?<!\\)"__proto__":/.test(canonicalize(value))
      ? [wrong(pointer, 'a member may not be called __proto__')]
      : []
  } catch (error) {
    if (error instanceof CanonicalizationError)
      return [wrong(`${pointer}${error.pointer}`, error.message)]
    throw error
  }
}
