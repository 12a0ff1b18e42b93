import assert from 'node:assert/strict'
import { presentationDigest, type ReviewCase, reviewCases } from '@countersign/core/internal'
import type { Actor } from '../../../kernel/callers/actor.ts'
import { steps } from '../../../review/machine/steps.ts'
import { admin, ann, type Bench, bob } from '../bench.ts'

/** What a caller must be able to foresee of a case. */
export interface ModelCase {
  readonly reviewCaseId: string
  readonly checkpoint: number
  requestedBy: string | null
  readonly dueAt: number
  readonly expiresAt: number
  state: ReviewCase['state']
  assignee: string | null
  pending: boolean
  overdue: boolean
  continuation: string | null
  /** Opened by a policy rule: what an application's opening asked there, null before. */
  readonly policy: { asked: string | null } | null
  callback: 'none' | 'owed'
}

export interface Model {
  now: number
  /** Whether the application's callback is enabled. */
  callback: boolean
  readonly cases: ModelCase[]
}

/** In every private text of a world, so that one that leaks is found by it. */
export const canary = 'CANARY'
export const people = { ann, bob, admin } as const
export type Person = keyof typeof people

/** The model's case at this index, counted round. */
export function pick(model: Model, index: number): ModelCase | null {
  return model.cases[index % Math.max(1, model.cases.length)] ?? null
}

/** Row 9 as the model knows it: whoever comes first at or after expiresAt expires the case; true for that one. */
export function touch(model: Model, review: ModelCase): boolean {
  const lapsed = review.state === 'open' && model.now >= review.expiresAt
  if (lapsed) close(model, review, 'expired')
  return lapsed
}

/** Ends a case: its callback is owed where there is one to make. */
export function close(model: Model, review: ModelCase, state: ReviewCase['state']): void {
  review.state = state
  review.pending = false
  if (model.callback) review.callback = 'owed'
}

/** What must hold after every command, of everything that is stored (promises: invariants 1 to 6, 8, 22 and 30). */
export function assertWorld(model: Model, bench: Bench): void {
  const stored = bench.store.rows(reviewCases).map(({ row }) => row)
  assert.equal(stored.length, model.cases.length)
  const memberSteps = stored.flatMap(({ history }) =>
    history.filter(({ actor }) => actor.startsWith('member:')),
  )
  const acts = bench
    .audited()
    .filter(({ action }) => action !== 'review_case.resumed_without_approval')
  assert.equal(acts.length, memberSteps.length)
  for (const body of bench.sent())
    if (!body.includes('"review.outcome"')) assert.equal(body.includes(canary), false, body)
  for (const expected of model.cases) {
    const review = stored.find(({ reviewCaseId }) => reviewCaseId === expected.reviewCaseId)
    assert.ok(review)
    assertCase(expected, review, bench)
  }
}

function assertCase(expected: ModelCase, review: ReviewCase, bench: Bench): void {
  const { history, state } = review
  assert.deepEqual(
    [state, review.assigneeId, review.decision === 'follow_up_required', review.overdueAt !== null],
    [expected.state, expected.assignee, expected.pending && state === 'open', expected.overdue],
  )
  assert.equal(review.continuation?.outcome ?? null, expected.continuation)
  const at = (...names: string[]) => history.filter(({ step }) => names.includes(step))
  assert.equal(at('decided', 'cancelled', 'expired').length, state === 'open' ? 0 : 1)
  assert.equal(review.closedAt === null, state === 'open')
  if (state === 'expired') assert.equal(review.decision, 'expired')
  for (const each of at('decided')) assert.ok(each.at < review.expiresAt)
  for (const each of at('expired')) assert.ok(each.at >= review.expiresAt)
  assert.ok(at('overdue').length <= 1)
  assert.deepEqual(
    history.map(({ eventSequence }) => eventSequence),
    history.map((_, index) => index + 1),
  )
  const last = history.at(-1)
  assert.deepEqual(
    [last?.caseVersion, last?.eventSequence],
    [review.caseVersion, review.eventSequence],
  )
  assert.equal(at('adopted').length, expected.policy?.asked ? 1 : 0)
  if (expected.policy?.asked)
    assert.deepEqual(review.presentation?.application, {
      prompt: canary,
      asks: expected.policy.asked,
    })
  const assigned = at('claimed', 'reassigned').length > 0
  assert.equal(review.presentationDigest, assigned ? presentationDigest(review.presentation) : null)

  // One event for each step that has one, none without its step.
  const events = bench.events(review.reviewCaseId)
  assert.deepEqual(
    events.map(({ type, caseVersion, eventSequence, time }) => [
      type,
      caseVersion,
      eventSequence,
      Date.parse(time),
    ]),
    history.flatMap(({ step, caseVersion, eventSequence, at }) => {
      const { event } = steps[step]
      return event ? [[event, caseVersion, eventSequence, at]] : []
    }),
  )
  const outcomes = bench
    .outcomes()
    .filter(({ reviewCaseId }) => reviewCaseId === review.reviewCaseId)
  assert.equal(outcomes.length, expected.callback === 'owed' ? 1 : 0)
  assert.equal(review.callback.state, expected.callback === 'owed' ? 'pending' : 'none')
  for (const outcome of outcomes) assert.equal(outcome.decision, review.decision)
}

export function reviewer(person: Person): Extract<Actor, { kind: 'member' }> {
  return people[person]
}
