import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentationDigest, type ReviewCase } from '@countersign/core/review'
import fc from 'fast-check'
import type { CaseCommand, Context, Decided, Moved } from '../../review/command.ts'
import { decide } from '../../review/machine.ts'
import { eventsOf } from '../../review/messages.ts'
import { newCase } from '../../review/new-case.ts'
import { steps } from '../../review/steps.ts'
import { commands, moment, reviewCase, type SeenKind, seenAs, times } from './arbitraries.ts'
import { ingestUrl, opening } from './bench.ts'
import { forClosed, type Row, table, versioned } from './table.ts'

type Decide = typeof decide

interface Case {
  readonly review: ReviewCase
  readonly command: CaseCommand
  readonly context: Context
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

const lapsed = ({ review, context }: Case) =>
  review.state === 'open' && context.now >= times.expiresAt
const current = ({ command, seen }: Case) =>
  !versioned.includes(command.type) || ['nothing', 'this', 'tag'].includes(seen)
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
function rowHolds(row: Row, decideIt: Decide): void {
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
    { numRuns: 1500 },
  )
}

/** Row 9: at or after expiresAt every command meets an expired case; only the timer is content with that. */
function expiryHolds(decideIt: Decide): void {
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
      else assert.ok(decided.kind === 'refused' && decided.refusal.code === 'case_expired')
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
    { numRuns: 2000 },
  )
}

/** 2b and 2c: a claim of one's own case is no step, one of another's is told so, whatever version was seen. */
function claimsHold(decideIt: Decide): void {
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
    { numRuns: 1500 },
  )
}

/** Where no row applies: which of the two "no" is said, and that it never comes with a change. */
function refusalsHold(decideIt: Decide): void {
  const any = fc.oneof(
    ...Object.keys(commands).map((type) => situation(type as CaseCommand['type'])),
  )
  fc.assert(
    fc.property(any, (given) => {
      const { review, command, context, seen } = given
      if (lapsed(given)) return
      const decided = decideIt(review, command, context)
      if (decided.kind !== 'refused') return
      assert.equal(decided.moved, undefined)
      const needsClosed = forClosed.includes(command.type)
      const { code } = decided.refusal
      if (review.state === 'expired' && !needsClosed) assert.equal(code, 'case_expired')
      else if (!current(given) && command.type !== 'claim')
        assert.equal(code, seen === 'older' ? 'version_conflict' : 'precondition_failed')
      else if ((review.state === 'open') === needsClosed) assert.equal(code, 'invalid_transition')
    }),
    { numRuns: 2000 },
  )
}

/** Decides on a distorted view; what the decision leaves alone comes out as it was, so that only the "yes" is wrong. */
const before =
  (
    distort: (review: ReviewCase, command: CaseCommand, context: Context) => Partial<Case>,
  ): Decide =>
  (review, command, context) => {
    const seen = distort(review, command, context)
    const shown = seen.review ?? review
    const decided = decide(shown, seen.command ?? command, seen.context ?? context)
    if (decided.kind !== 'moved') return decided
    const untouched = Object.entries(review).filter(
      ([name]) => Reflect.get(decided.case, name) === Reflect.get(shown, name),
    )
    return { ...decided, case: { ...decided.case, ...Object.fromEntries(untouched) } }
  }

const after =
  (distort: (moved: Moved, review: ReviewCase) => Moved): Decide =>
  (review, command, context) => {
    const decided = decide(review, command, context)
    return decided.kind === 'moved' ? distort(decided, review) : decided
  }

const withCase = (moved: Moved, change: Partial<ReviewCase>): Moved => ({
  ...moved,
  case: { ...moved.case, ...change },
})

/** Machines that are wrong in one place, each by the property that must notice. */
const mutants: Readonly<Record<string, Readonly<Record<string, Decide>>>> = {
  '2': {
    'the requester may claim': before((review) => ({ review: { ...review, requestedBy: null } })),
    'a claim sets no digest': after((moved) => withCase(moved, { presentationDigest: null })),
  },
  '3': {
    'anyone may reassign': before((_, __, context) => ({
      context: { ...context, by: { ...context.by, admin: true } },
    })),
    'a pending follow-up survives': after((moved, { decision }) => withCase(moved, { decision })),
    'whoever is named will do': before((_, command) =>
      command.type === 'reassign'
        ? { command: { ...command, to: { ...command.to, eligible: true } } }
        : {},
    ),
  },
  '4': {
    "another's case may be asked about": before(({ assigneeId }, __, context) => ({
      context: { ...context, by: { ...context.by, memberId: assigneeId } },
    })),
  },
  '5': {
    'the digest stays after an answer': after((moved, { presentationDigest }) =>
      withCase(moved, { presentationDigest }),
    ),
    'the version is not looked at': before((_, __, context) => ({
      context: { ...context, seen: null },
    })),
  },
  '6': {
    'any digest will do': before(({ presentationDigest }, command) =>
      command.type === 'decide'
        ? { command: { ...command, presentationDigest: presentationDigest ?? '' } }
        : {},
    ),
    'a decision raises the sequence twice': after((moved) =>
      withCase(moved, { eventSequence: moved.case.eventSequence + 1 }),
    ),
  },
  '7': {
    'a decided case can be cancelled': before((review) => ({
      review: review.state === 'decided' ? { ...review, state: 'open' } : review,
    })),
  },
  '8': {
    'overdue is told twice': before((review) => ({ review: { ...review, overdueAt: null } })),
    'overdue comes one tick early': before((_, __, context) => ({
      context: { ...context, now: context.now + 1 },
    })),
  },
  '10': {
    'an attempt raises the version': after((moved) =>
      withCase(moved, { caseVersion: moved.case.caseVersion + 1 }),
    ),
  },
  '11': {
    'giving up is silent': after((moved) => ({ ...moved, recorded: moved.recorded.slice(0, 1) })),
  },
  '12': {
    'a received callback can be replayed': before((review) => ({
      review: { ...review, callback: { ...review.callback, state: 'failed' } },
    })),
  },
  '13': {
    'the last report wins': before((review) => ({ review: { ...review, continuation: null } })),
    'an open case can be continued': before((review) => ({
      review: review.state === 'open' ? { ...review, state: 'cancelled' } : review,
    })),
  },
}

describe('the transition table', () => {
  it('row 1: an opening yields an unassigned case at 1.1 and its event', () => {
    const made = { reviewCaseId: 'rc_1', tenantId: 't', applicationId: 'a', at: 5000, by: 'x' }
    const input = opening({ reviewTier: 'urgent', resumeToken: 'token' })
    const { case: review, recorded } = newCase(input, made)
    assert.deepEqual(
      [review.state, review.caseVersion, review.eventSequence, review.assigneeId],
      ['open', 1, 1, null],
    )
    assert.deepEqual(recorded, [
      {
        step: 'created',
        at: 5000,
        caseVersion: 1,
        eventSequence: 1,
        decision: null,
        reasonCategory: 'high_risk_action',
        presentationDigest: null,
      },
    ])
    assert.deepEqual(review.history, [
      { eventSequence: 1, caseVersion: 1, step: 'created', at: 5000, actor: 'x' },
    ])
  })

  for (const [name, row] of Object.entries(table)) {
    it(`row ${name}: ${row.command}, from exactly its states`, () => rowHolds(row, decide))
    for (const [mutant, wrong] of Object.entries(mutants[name] ?? {}))
      it(`row ${name} would notice: ${mutant}`, () => assert.throws(() => rowHolds(row, wrong)))
  }

  it('row 9: expiry goes before every command', () => expiryHolds(decide))
  it('row 9 would notice: a late approval', () =>
    assert.throws(() =>
      expiryHolds(
        before((review, _, context) => ({
          context: { ...context, now: Math.min(context.now, review.expiresAt - 1) },
        })),
      ),
    ))
  it('row 9 would notice: an expiry one tick late', () =>
    assert.throws(() =>
      expiryHolds(before((_, __, context) => ({ context: { ...context, now: context.now - 1 } }))),
    ))

  it('rows 2b and 2c: a claim of an assigned case', () => claimsHold(decide))
  it('rows 2b and 2c would notice: the last claim wins', () =>
    assert.throws(() =>
      claimsHold(before((review) => ({ review: { ...review, assigneeId: null } }))),
    ))

  it('no other row: the refusals', () => refusalsHold(decide))
  it('no other row would notice: a conflict that is told as a wrong state', () =>
    assert.throws(() =>
      refusalsHold((review, command, context): Decided => {
        const decided = decide(review, command, { ...context, seen: null })
        return decided.kind === 'moved' && context.seen ? decide(review, command, context) : decided
      }),
    ))
})

describe('over any sequence of commands', () => {
  /** Invariants 1 to 5 and 8 of one case. */
  function sequenceHolds(decideIt: Decide): void {
    const commandList = fc.array(
      fc.tuple(
        fc.oneof(...(Object.values(commands) as fc.Arbitrary<CaseCommand>[])),
        moment,
        fc.nat(400),
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(commandList, (list) => {
        const made = { reviewCaseId: 'rc_1', tenantId: 't', applicationId: 'a', by: 'app' }
        let { case: review } = newCase(
          opening({ dueAt: times.dueAt, expiresAt: times.expiresAt }),
          { ...made, at: times.createdAt },
        )
        let now: number = times.createdAt
        for (const [drawn, { context, seen }, wait] of list) {
          now += wait
          const command =
            drawn.type === 'decide' && drawn.presentationDigest === 'shown'
              ? { ...drawn, presentationDigest: review.presentationDigest ?? '' }
              : drawn
          const decided = decideIt(review, command, {
            ...context,
            now,
            seen: seenAs(seen, review),
          })
          const moved =
            decided.kind === 'moved' ? decided : decided.kind === 'refused' ? decided.moved : null
          if (moved) review = moved.case
        }
        assertInvariants(review)
      }),
      { numRuns: 1000 },
    )
  }

  function assertInvariants(review: ReviewCase): void {
    const { history, state, decision, expiresAt, dueAt } = review
    const at = (...names: string[]) => history.filter(({ step }) => names.includes(step))
    const ends = at('decided', 'cancelled', 'expired')
    assert.equal(ends.length, state === 'open' ? 0 : 1)
    if (state === 'expired') assert.equal(decision, 'expired')
    for (const each of at('decided')) assert.ok(each.at < expiresAt)
    for (const each of at('expired')) assert.ok(each.at >= expiresAt)
    const overdue = at('overdue')
    assert.ok(overdue.length <= 1)
    for (const each of overdue)
      assert.ok(each.at >= dueAt && each.at < expiresAt && (ends[0]?.at ?? each.at) >= each.at)
    for (const [before, each] of history.entries()) {
      const last = history[before - 1]
      assert.equal(each.eventSequence, before + 1)
      assert.equal(each.caseVersion, (last?.caseVersion ?? 0) + (steps[each.step].raises ? 1 : 0))
    }
    const assigned = at('claimed', 'reassigned').length > 0
    assert.equal(
      review.presentationDigest,
      assigned ? presentationDigest(review.presentation) : null,
    )
  }

  it('at most one end, never an approval after expiry, versions without gaps, the digest of what is shown', () =>
    sequenceHolds(decide))
  it('would notice: a closed case that opens again', () =>
    assert.throws(() =>
      sequenceHolds(
        before((review) => ({
          review: review.state === 'cancelled' ? { ...review, state: 'open' } : review,
        })),
      ),
    ))
})
