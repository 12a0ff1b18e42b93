import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { workItems } from '@countersign/core/internal'
import { caseBytes } from '@countersign/core/ledger'
import type { ChangeSet } from '@countersign/core/ports'
import fc from 'fast-check'
import { sessionAliases } from '../../content/trace-records.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { type Message, messages } from '../../outbox/records.ts'
import { caseSealKind } from '../../review/case-record.ts'
import { reviewCases } from '../../review/records.ts'
import { ann, app, type Bench, createBench, opening, refused, seenOf, value } from './bench.ts'
import { openByPolicy } from './open-by-policy.ts'

type Lapsed = Awaited<ReturnType<Bench['open']>>

const types = (bench: Bench, reviewCaseId: string) =>
  bench.events(reviewCaseId).map(({ type }) => type)

/** The types of events that a commit owes, in the order of its change set. */
const owedBy = ({ puts = [] }: ChangeSet) =>
  puts
    .filter((each) => each.in === messages.name)
    .map(({ row }) => (row as unknown as Message).type)
    .filter((type) => type !== 'review.outcome')

/** A case whose time is over, and nothing has recorded that. */
async function lapse(bench: Bench, lapsed: Lapsed): Promise<void> {
  bench.clock.jump(Date.parse(lapsed.expiresAt) - bench.clock.now())
  assert.equal(bench.stored(lapsed.reviewCaseId).state, 'open')
}

/** The case expired once, which its webhook and its application hear once. */
function assertExpiredOnce(bench: Bench, { reviewCaseId }: Lapsed): void {
  const { state, history } = bench.stored(reviewCaseId)
  assert.equal(state, 'expired')
  assert.equal(history.filter(({ step }) => step === 'expired').length, 1)
  const ended = types(bench, reviewCaseId).filter((type) => type === 'review.case.expired')
  assert.deepEqual(ended.length, 1)
  const outcomes = bench.outcomes().filter((each) => each.reviewCaseId === reviewCaseId)
  assert.deepEqual(
    outcomes.map(({ decision }) => decision),
    ['expired'],
  )
}

/** What work waits for, but for seals, which nobody here makes. */
function waiting({ store }: Bench): readonly string[] {
  return store
    .rows(workItems)
    .filter(({ row }) => row.kind !== caseSealKind)
    .map(({ row }) => row.ref)
}

describe('a checkpoint whose case has lapsed', () => {
  it('has one open case after two openers and the deadline runner raced', async () => {
    let inOneCommit = 0
    let apart = 0
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const bench = await createBench({ callback: true })
        const lapsed = await bench.open()
        await lapse(bench, lapsed)
        const commits: (readonly string[])[] = []
        bench.ledger.subscribe((set) => {
          const owed = owedBy(set)
          if (owed.length > 0) commits.push(owed)
        })
        bench.break((point, { kind }) =>
          point === 'before'
            ? scheduler.schedule(Promise.resolve(), kind).then(() => {})
            : undefined,
        )
        const opener = () => bench.cases.open(app, opening({ sessionId: lapsed.sessionId }))
        const [first, second] = await scheduler.waitFor(
          Promise.all([opener(), opener(), bench.runner.tick()]),
        )
        const { reviewCaseId } = value(first)
        assert.equal(value(second).reviewCaseId, reviewCaseId)
        bench.break(() => {})
        await bench.runner.tick()

        const rows = bench.store.rows(reviewCases)
        assert.equal(rows.length, 2)
        const open = rows.filter(({ row }) => row.state === 'open')
        assert.deepEqual(
          open.map(({ row }) => row.reviewCaseId),
          [reviewCaseId],
        )
        assertExpiredOnce(bench, lapsed)
        assert.deepEqual(types(bench, reviewCaseId), ['review.case.created'])
        assert.deepEqual(waiting(bench), [reviewCaseId])

        assert.deepEqual(commits.flat(), ['review.case.expired', 'review.case.created'])
        if (commits.length === 1) inOneCommit++
        else apart++
      }),
      { numRuns: 200 },
    )
    assert.ok(inOneCommit > 0, 'no opener expired the case')
    assert.ok(apart > 0, 'the runner never came first')
  })

  const tooLarge = { presentation: { text: 'x'.repeat(caseBytes) } }
  const refusals = {
    'an unknown requester': { input: { requestedBy: 'mem_none' }, code: 'invalid_request' },
    'a case that is too large': { input: tooLarge, code: 'case_too_large' },
  } as const

  for (const [name, { input, code }] of Object.entries(refusals))
    it(`keeps the expiry where the opening is refused: ${name}`, async () => {
      const bench = await createBench({ callback: true })
      const lapsed = await bench.open()
      await lapse(bench, lapsed)
      const wrong = opening({ sessionId: lapsed.sessionId, ...input })
      assert.equal(refused(await bench.cases.open(app, wrong)).code, code)
      assertExpiredOnce(bench, lapsed)
      assert.equal(bench.store.rows(reviewCases).length, 1)

      // The key was not used up by the refusal.
      const { idempotencyKey } = wrong
      const right = opening({ sessionId: lapsed.sessionId, idempotencyKey })
      assert.equal(value(await bench.cases.open(app, right)).state, 'open')
      assertExpiredOnce(bench, lapsed)
    })

  it('keeps the expiry where another case there refuses the requester', async () => {
    const bench = await createBench({ callback: true })
    const lapsed = await bench.open()
    await lapse(bench, lapsed)
    // The session was dissolved, and a policy opened a case of the same checkpoint in the one that took its steps.
    const moved = { sessionId: 'ses_joined', checkpointId: lapsed.checkpoint.checkpointId }
    const { tenantId, applicationId } = app
    const alias = { tenantId, applicationId, alias: lapsed.sessionId, sessionId: moved.sessionId }
    await bench.store.commit({ tenant: null, puts: [put(sessionAliases, alias, null)] })
    const reviewCaseId = await openByPolicy(bench, moved)
    value(await bench.cases.claim(ann, { reviewCaseId }))
    const before = bench.stored(reviewCaseId)
    const own = opening({ sessionId: lapsed.sessionId, requestedBy: ann.memberId })
    assert.equal(refused(await bench.cases.open(app, own)).code, 'requester_cannot_review')
    assertExpiredOnce(bench, lapsed)
    assert.deepEqual(bench.stored(reviewCaseId), before)
  })

  it('keeps the expiry where a command on the case is refused, whichever comes first', async () => {
    const acts = {
      claim: ({ cases }, { reviewCaseId }) => cases.claim(ann, { reviewCaseId }),
      reassign: ({ cases }, seen) => cases.reassign(ann, { ...seen, reviewerId: 'mem_bob' }),
      'ask a question': ({ cases }, seen) => cases.requestFollowUp(ann, { ...seen, question: '?' }),
      answer: ({ cases }, seen) => cases.answerFollowUp(app, { ...seen, answer: 'yes' }),
      decide: ({ cases }, seen) =>
        cases.decide(ann, { ...seen, decision: 'approved', presentationDigest: 'a'.repeat(64) }),
      cancel: ({ cases }, { reviewCaseId }) =>
        cases.cancel(app, { reviewCaseId, reasonCategory: 'end_user_cancelled' }),
      'report the continuation': ({ cases }, { reviewCaseId }) =>
        cases.reportContinuation(app, { reviewCaseId, outcome: 'resumed' }),
    } satisfies Record<string, Act>
    for (const [name, act] of Object.entries<Act>(acts)) {
      const bench = await createBench({ callback: true })
      const { reviewCaseId } = await bench.open()
      const lapsed = value(await bench.cases.claim(ann, { reviewCaseId }))
      await lapse(bench, lapsed)
      const seen = { reviewCaseId, ...seenOf(lapsed) }
      assert.equal(refused(await act(bench, seen)).code, 'case_expired', name)
      assertExpiredOnce(bench, lapsed)
      await bench.runner.tick()
      assertExpiredOnce(bench, lapsed)
    }
  })
})

type Act = (
  bench: Bench,
  seen: { readonly reviewCaseId: string; readonly caseVersion: number },
) => ReturnType<Bench['cases']['claim']>
