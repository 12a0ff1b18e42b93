import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Decided } from '../../review/machine/command.ts'
import { decide } from '../../review/machine/machine.ts'
import { newCase } from '../../review/machine/new-case.ts'
import { opening, taken } from './bench.ts'
import { before, mutants } from './machine-mutants.ts'
import {
  claimsHold,
  expiryHolds,
  openingsHold,
  refusalsHold,
  rowHolds,
} from './machine-properties.ts'
import { table } from './table.ts'

/** Mutants are drawn alike in every run: whether chance finds one is no news. */
const forMutants = { seed: 1 }

describe('the transition table', () => {
  it('row 1: an opening yields an unassigned case at 1.1 and its event', () => {
    const made = { reviewCaseId: 'rc_1', tenantId: 't', applicationId: 'a', at: 5000, by: 'x' }
    const input = opening({ reviewTier: 'urgent', resumeToken: 'token' })
    const { case: review, recorded } = newCase(taken(input), { ...made, resumeToken: null })
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
      it(`row ${name} would notice: ${mutant}`, () =>
        assert.throws(() => rowHolds(row, wrong, forMutants)))
  }

  it('rows 14 and 15: an opening adopts once, and neither another presentation nor another person', () =>
    openingsHold(decide))
  it('row 14 would notice: any presentation will do', () =>
    assert.throws(() =>
      openingsHold((review, command, context) => {
        const decided = decide(review, command, context)
        return decided.kind === 'refused' && decided.refusal.code === 'idempotency_conflict'
          ? { kind: 'same' }
          : decided
      }, forMutants),
    ))
  it('row 9: expiry goes before every command', () => expiryHolds(decide))
  it('row 9 would notice: a late approval', () =>
    assert.throws(() =>
      expiryHolds(
        before((review, _, context) => ({
          context: { ...context, now: Math.min(context.now, review.expiresAt - 1) },
        })),
        forMutants,
      ),
    ))
  it('row 9 would notice: an expiry one tick late', () =>
    assert.throws(() =>
      expiryHolds(
        before((_, __, context) => ({ context: { ...context, now: context.now - 1 } })),
        forMutants,
      ),
    ))

  it('rows 2b and 2c: a claim of an assigned case', () => claimsHold(decide))
  it('rows 2b and 2c would notice: the last claim wins', () =>
    assert.throws(() =>
      claimsHold(
        before((review) => ({ review: { ...review, assigneeId: null } })),
        forMutants,
      ),
    ))

  it('no other row: the refusals', () => refusalsHold(decide))
  it('no other row would notice: a conflict that is told as a wrong state', () =>
    assert.throws(() =>
      refusalsHold((review, command, context): Decided => {
        const decided = decide(review, command, { ...context, seen: null })
        return decided.kind === 'moved' && context.seen ? decide(review, command, context) : decided
      }, forMutants),
    ))
})
