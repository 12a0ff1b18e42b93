import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { digestOf } from '@countersign/core/canonical'
import { presentationDigest, type ReviewCase } from '@countersign/core/internal'
import fc from 'fast-check'
import type { CaseCommand } from '../../review/machine/command.ts'
import { decide } from '../../review/machine/machine.ts'
import { newCase } from '../../review/machine/new-case.ts'
import { steps } from '../../review/machine/steps.ts'
import { askedOf, type Choice, expectedStatement } from '../../review/signing/asked.ts'
import { commands, moment, seenAs, times } from './arbitraries.ts'
import { opening, taken } from './bench.ts'
import { before } from './machine-mutants.ts'
import type { Decide } from './machine-properties.ts'

/** A choice without texts, for what a statement of it says of the case. */
const unsigned: Choice = {
  decision: 'approved',
  presentationDigest: '',
  comment: null,
  response: null,
  memberId: 'mem_me',
  nonces: { comment: null, response: null },
}

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
      fc.property(commandList, fc.constantFrom('app', 'system'), (list, by) => {
        const made = {
          reviewCaseId: 'rc_1',
          tenantId: 't',
          applicationId: 'a',
          by,
          resumeToken: null,
        }
        let { case: review } = newCase(
          taken(opening({ dueAt: times.dueAt, expiresAt: times.expiresAt })),
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
    assert.ok(at('adopted').length <= (history[0]?.actor === 'system' ? 1 : 0))
    const assigned = at('claimed', 'reassigned').length > 0
    assert.equal(
      review.presentationDigest,
      assigned ? presentationDigest(review.presentation) : null,
    )
    const { askedDigest } = expectedStatement(review, unsigned, null)
    const asked = askedOf(review)
    assert.equal(askedDigest, asked === null ? null : digestOf(asked))
  }

  it('at most one end, never an approval after expiry, versions without gaps, the digests of what is shown and asked', () =>
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
