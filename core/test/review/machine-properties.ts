import assert from 'node:assert/strict'
import type { ReviewCase } from '@countersign/core/internal'
import fc from 'fast-check'
import { eventsOf } from '../../review/execution/case-events.ts'
import type { CaseCommand, CommandContext, Moved } from '../../review/machine/command.ts'
import type { decide } from '../../review/machine/machine.ts'
import { steps } from '../../review/machine/steps.ts'
import { commands, moment, reviewCase, type SeenKind, seenAs, times } from './arbitraries.ts'
import { ingestUrl } from './bench.ts'
import { forClosed, isTaken, type Row, table, versioned } from './table.ts'

export type Decide = typeof decide

export interface Case {
  readonly review: ReviewCase
  readonly command: CaseCommand
  readonly context: CommandContext
  readonly seen: SeenKind
}

/** Any case, this command, anyone, any time. */
function situation(type: CaseCommand['type']): fc.Arbitrary<Case> {
  return fc
    .tuple(reviewCase, commands[type] as fc.Arbitrary<CaseCommand>, moment)
    .map(([review, drawn, { context, seen }]) => ({
      review,
      command:
        drawn.type === 'decide' && drawn.presentationDigest === 'shown'
          ? { ...drawn, presentationDigest: review.presentationDigest ?? '' }
          : drawn,
      context: { ...context, seen: seenAs(seen, review) },
      seen,
    }))
}

/** Row 3 alone names who may not ask at all, whatever the case's state and version. */
const unauthorized = ({ review, command, context: { by } }: Case) =>
  command.type === 'reassign' &&
  !by.admin &&
  (by.memberId === null || by.memberId !== review.assigneeId)

const lapsed = ({ review, context }: Case) =>
  review.state === 'open' && context.now >= times.expiresAt
const current = ({ command, seen }: Case) =>
  !versioned.includes(command.type) || ['nothing', 'this', 'this position'].includes(seen)
const applies = (row: Row, given: Case) =>
  !lapsed(given) && current(given) && row.from(given.review, given.command, given.context)

/** That `moved` is exactly this row: its change and nothing else, one sequence a step, one event at most. */
function assertRow(row: Row, { review, command, context }: Case, moved: Moved): void {
  const names = typeof row.steps === 'function' ? row.steps(command) : row.steps
  const raised = names.some((step) => steps[step].raises) ? 1 : 0
  const after = moved.case
  assert.deepEqual(after, {
    ...review,
    ...row.change(review, command, context),
    caseVersion: review.caseVersion + raised,
    eventSequence: review.eventSequence + names.length,
    updatedAt: context.now,
    history: [
      ...review.history,
      ...names.map((step, at) => ({
        eventSequence: review.eventSequence + 1 + at,
        caseVersion: review.caseVersion + raised,
        step,
        at: context.now,
        actor: context.by.name,
      })),
    ],
  })
  assert.deepEqual(
    moved.recorded.map(({ step }) => step),
    names,
  )
  const events = eventsOf(after, moved.recorded, { newId: () => 'evt_1', ingestUrl })
  assert.equal(events.length, row.event ? 1 : 0)
  const [event] = events
  if (!row.event || !event) return
  assert.deepEqual(event, {
    id: 'evt_1',
    type: row.event.type,
    schemaVersion: 1,
    time: new Date(context.now).toISOString(),
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    sessionId: review.sessionId,
    reviewCaseId: review.reviewCaseId,
    caseVersion: after.caseVersion,
    eventSequence: after.eventSequence,
    decision: row.event.decision(review, command),
    reviewTier: review.reviewTier,
    dueAt: new Date(review.dueAt).toISOString(),
    expiresAt: new Date(review.expiresAt).toISOString(),
    reasonCategory: row.event.reason(review, command),
    presentationDigest: after.presentationDigest,
    caseUrl: `${ingestUrl}/v1/review-cases/${review.reviewCaseId}`,
  })
}

/** The row applies from exactly its states, and then does exactly what it says. */
export function rowHolds(row: Row, decideIt: Decide, drawn: object = {}): void {
  fc.assert(
    fc.property(situation(row.command), (given) => {
      const decided = decideIt(given.review, given.command, given.context)
      if (applies(row, given)) {
        assert.equal(decided.kind, 'moved')
        if (decided.kind === 'moved') assertRow(row, given, decided)
        return
      }
      const others = Object.values(table).filter((each) => each.command === row.command)
      if (others.some((other) => applies(other, given)) || lapsed(given)) return
      assert.notEqual(decided.kind, 'moved')
    }),
    { numRuns: 1500, ...drawn },
  )
}

/** Row 9: at or after expiresAt every command meets an expired case; only the timer is content with that. */
export function expiryHolds(decideIt: Decide, drawn: object = {}): void {
  const any = fc.oneof(
    ...Object.keys(commands).map((type) => situation(type as CaseCommand['type'])),
  )
  fc.assert(
    fc.property(any, (given) => {
      const { review, command, context } = given
      const decided = decideIt(review, command, context)
      const moved =
        decided.kind === 'same' ? undefined : decided.kind === 'moved' ? decided : decided.moved
      const expired = moved?.recorded.some(({ step }) => step === 'expired') ?? false
      assert.equal(expired, lapsed(given))
      if (!expired || !moved) return
      if (command.type === 'deadline') assert.equal(decided.kind, 'moved')
      else
        assert.ok(
          decided.kind === 'refused' &&
            decided.refusal.code === (unauthorized(given) ? 'forbidden' : 'case_expired'),
        )
      const [step] = moved.recorded
      assert.deepEqual(
        [step?.decision, step?.reasonCategory, moved.recorded.length],
        ['expired', 'expired', 1],
      )
      assert.equal(moved.case.presentationDigest, review.presentationDigest)
      assert.deepEqual(
        [moved.case.state, moved.case.decision, moved.case.closedAt, moved.case.decidedBy],
        ['expired', 'expired', context.now, null],
      )
      assert.equal(moved.case.caseVersion, review.caseVersion + 1)
      assert.equal(moved.case.eventSequence, review.eventSequence + 1)
    }),
    { numRuns: 2000, ...drawn },
  )
}

/** 2b and 2c: a claim of one's own case is no step, one of another's is told so, whatever version was seen. */
export function claimsHold(decideIt: Decide, drawn: object = {}): void {
  fc.assert(
    fc.property(situation('claim'), (given) => {
      const { review, command, context } = given
      const { memberId } = context.by
      if (lapsed(given) || review.state !== 'open' || review.assigneeId === null) return
      if (memberId === null || memberId === review.requestedBy) return
      const decided = decideIt(review, command, context)
      if (review.assigneeId === memberId) assert.deepEqual(decided, { kind: 'same' })
      else assert.ok(decided.kind === 'refused' && decided.refusal.code === 'already_assigned')
    }),
    { numRuns: 1500, ...drawn },
  )
}

/** 14 and 15: what an opening of a case that is open already is answered, where it adopts and names nothing. */
export function openingsHold(decideIt: Decide, drawn: object = {}): void {
  fc.assert(
    fc.property(situation('adopt'), (given) => {
      const { review, command, context } = given
      if (lapsed(given) || review.state !== 'open' || command.type !== 'adopt') return
      const decided = decideIt(review, command, context)
      const adopted = review.history.some(({ step }) => step === 'adopted')
      const { requestedBy, dataSubjectId: named = null, subjectOfPlace = null } = command
      const reviewing = review.assigneeId !== null && requestedBy === review.assigneeId
      if (isTaken(review, command)) {
        const of = review.dataSubjectId ?? subjectOfPlace
        if (named === null || named === review.dataSubjectId)
          assert.deepEqual(decided, { kind: 'same' })
        else if (of !== null && of !== named)
          assert.ok(decided.kind === 'refused' && decided.refusal.code === 'idempotency_conflict')
        else assert.equal(decided.kind, 'moved')
      } else if (adopted)
        assert.ok(decided.kind === 'refused' && decided.refusal.code === 'idempotency_conflict')
      else if (review.requestedBy === null && reviewing)
        assert.ok(decided.kind === 'refused' && decided.refusal.code === 'requester_cannot_review')
      else assert.equal(decided.kind, 'moved')
    }),
    { numRuns: 1500, ...drawn },
  )
}

/** Where no row applies: which of the two "no" is said, and that it never comes with a change. */
export function refusalsHold(decideIt: Decide, drawn: object = {}): void {
  const any = fc.oneof(
    ...Object.keys(commands).map((type) => situation(type as CaseCommand['type'])),
  )
  fc.assert(
    fc.property(any, (given) => {
      const { review, command, context } = given
      if (lapsed(given)) return
      const decided = decideIt(review, command, context)
      if (decided.kind !== 'refused') return
      assert.equal(decided.moved, undefined)
      const needsClosed = forClosed.includes(command.type)
      const { code } = decided.refusal
      if (unauthorized(given)) assert.equal(code, 'forbidden')
      else if (review.state === 'expired' && !needsClosed) assert.equal(code, 'case_expired')
      else if (!current(given) && command.type !== 'claim') assert.equal(code, 'version_conflict')
      else if ((review.state === 'open') === needsClosed) assert.equal(code, 'invalid_transition')
    }),
    { numRuns: 2000, ...drawn },
  )
}
