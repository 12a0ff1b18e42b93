import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CaseAnswer } from '@countersign/client'
import { digestOf } from '@countersign/core/canonical'
import { changesOf } from '../../app/case/changes.ts'
import {
  type Act,
  type Block,
  blockOf,
  type Draft,
  type Facts,
  isMeant,
  lackOf,
  outcomeOfLost,
} from '../../app/case/deciding.ts'
import { readResponse, responseFields } from '../../app/case/response-fields.ts'
import { serverClock } from '../../app/client/server-clock.ts'

const presentation = { action: 'pay', amount: 1200 }
const digest = digestOf(presentation)

const review: CaseAnswer = {
  schemaVersion: 1,
  reviewCaseId: 'rc_1',
  tenantId: 'ten_1',
  applicationId: 'app_1',
  sessionId: 'ses_1',
  stepId: null,
  caseVersion: 2,
  eventSequence: 2,
  state: 'open',
  decision: null,
  reviewTier: 'standard',
  dueAt: '2026-01-01T00:30:00.000Z',
  expiresAt: '2026-01-01T01:00:00.000Z',
  overdueAt: null,
  reasonCategory: 'high_risk_action',
  cancellationReason: null,
  presentation,
  presentationDigest: digest,
  policyResults: [],
  requestedBy: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  closedAt: null,
  decidedBy: null,
  reviewerComment: null,
  response: null,
  followUps: [],
  callback: { state: 'none', attempts: 0, lastAttemptAt: null },
  continuation: null,
  history: [],
  caseUrl: 'https://ingest.example.com/v1/review-cases/rc_1',
  assignment: { reviewerId: 'mem_1', assignedAt: '2026-01-01T00:00:00.000Z' },
  checkpoint: { checkpointId: 'cp' },
  decisionSignature: null,
  adopted: false,
}

const facts: Facts = {
  shown: review,
  latest: review,
  memberId: 'mem_1',
  mayReview: true,
  isAdmin: false,
  isSandbox: false,
  now: Date.parse('2026-01-01T00:10:00.000Z'),
  digest,
  isDigesting: false,
  unseen: 0,
  isRunning: false,
  isUnknown: false,
  unread: null,
}

const deciding: readonly Act[] = ['approve', 'reject', 'respond']
const draft: Draft = { comment: '', question: '', response: null, colleague: '' }

const shown = (change: Partial<CaseAnswer>): Partial<Facts> => {
  const changed = { ...review, ...change }
  return { shown: changed, latest: changed }
}

describe('what can be done with a case', () => {
  it('is everything for the assignee who saw the document', () => {
    for (const act of [...deciding, 'ask', 'hand_over'] as const)
      assert.equal(blockOf(act, facts), null, act)
    assert.equal(blockOf('claim', facts), 'assigned')
  })

  it('is no decision for each of these', () => {
    const blocked: readonly (readonly [Block, Partial<Facts>])[] = [
      ['closed', shown({ state: 'decided' })],
      ['expired', { now: Date.parse(review.expiresAt) }],
      ['changed', { latest: { ...review, caseVersion: 3 } }],
      ['changed', { latest: { ...review, presentationDigest: 'other' } }],
      ['changed', { latest: { ...review, eventSequence: 3 } }],
      ['sandbox', { isSandbox: true }],
      ['no_right', { mayReview: false }],
      ['unknown', { isUnknown: true }],
      ['running', { isRunning: true }],
      ['offline', { unread: 'offline' }],
      ['signed_out', { unread: 'signed_out' }],
      ['requester', shown({ requestedBy: 'mem_1' })],
      ['unassigned', shown({ assignment: null })],
      ['assigned', shown({ assignment: { reviewerId: 'mem_2', assignedAt: '' } })],
      ['digesting', { isDigesting: true }],
      ['digest', { digest: null }],
      ['digest', { digest: digestOf({ action: 'pay', amount: 1201 }) }],
      ['digest', shown({ presentationDigest: null })],
    ]
    for (const [block, change] of blocked)
      for (const act of deciding) assert.equal(blockOf(act, { ...facts, ...change }), block, act)
  })

  it('is an approval only once every part was seen; a refusal and a question need no more', () => {
    const unseen = { ...facts, unseen: 1 }
    assert.equal(blockOf('approve', unseen), 'unseen')
    for (const act of ['reject', 'respond', 'ask'] as const)
      assert.equal(blockOf(act, unseen), null)
  })

  it('is a question also while the digest does not match, but one at a time', () => {
    assert.equal(blockOf('ask', { ...facts, digest: null }), null)
    const asked = shown({ decision: 'follow_up_required' })
    assert.equal(blockOf('ask', { ...facts, ...asked }), 'question_open')
    assert.equal(blockOf('reject', { ...facts, ...asked }), null)
  })

  it('is a claim of what nobody has, and a handing over by the assignee and admins', () => {
    const free = { ...facts, ...shown({ assignment: null }) }
    assert.equal(blockOf('claim', free), null)
    assert.equal(blockOf('hand_over', free), 'assigned')
    assert.equal(blockOf('hand_over', { ...free, isAdmin: true }), null)
  })

  it('needs a comment with a refusal, and with an approval of high and urgent cases', () => {
    assert.equal(lackOf('reject', draft, review), 'comment')
    assert.equal(lackOf('reject', { ...draft, comment: ' \n' }, review), 'comment')
    assert.equal(lackOf('reject', { ...draft, comment: 'no' }, review), null)
    assert.equal(lackOf('approve', draft, review), null)
    for (const reviewTier of ['high', 'urgent'] as const)
      assert.equal(lackOf('approve', draft, { ...review, reviewTier }), 'comment')
    assert.equal(lackOf('ask', draft, review), 'question')
    assert.equal(lackOf('respond', draft, review), 'response')
    assert.equal(lackOf('respond', { ...draft, response: false }, review), null)
    assert.equal(lackOf('hand_over', draft, review), 'colleague')
    assert.equal(lackOf('reject', { ...draft, comment: 'x'.repeat(10_001) }, review), 'too_long')
  })

  it('counts no click of the first half second, and no key that is held', () => {
    assert.ok(!isMeant({ at: 1_499, isRepeat: false }, 1_000))
    assert.ok(isMeant({ at: 1_500, isRepeat: false }, 1_000))
    assert.ok(!isMeant({ at: 9_000, isRepeat: true }, 1_000))
  })
})

describe('a write without an answer', () => {
  type Step = CaseAnswer['history'][number]['step']
  /** The case after a step that somebody took of the version before. */
  const after = (step: Step, actor: string, change: Partial<CaseAnswer> = {}): CaseAnswer => ({
    ...review,
    ...change,
    caseVersion: 3,
    eventSequence: 3,
    history: [{ eventSequence: 3, caseVersion: 3, step, at: '', actor }],
  })
  const outcome = (act: Act, found: CaseAnswer) =>
    outcomeOfLost(
      { act, before: review, memberId: 'mem_1', question: 'Why?', colleague: 'mem_2' },
      found,
    )
  const [me, other, admin] = ['member:mem_1', 'member:mem_2', 'member:mem_9']
  const has = (reviewerId: string) => ({ assignment: { reviewerId, assignedAt: '' } })
  const asked = (question: string) => ({
    followUps: [{ question, askedAt: '', answer: null, answeredAt: null }],
  })

  it('is done if its own step says so, not done if the case is as it was', () => {
    const decided = { state: 'decided', decision: 'approved', decidedBy: 'mem_1' } as const
    const cases: readonly (readonly [Act, CaseAnswer, ReturnType<typeof outcome>])[] = [
      ['approve', review, 'not_done'],
      ['approve', after('decided', me, decided), 'done'],
      ['reject', after('decided', me, decided), 'overtaken'],
      ['approve', after('decided', other, decided), 'overtaken'],
      ['ask', after('follow_up_requested', me, asked('Why?')), 'done'],
      ['ask', after('follow_up_requested', me, asked('When?')), 'overtaken'],
      ['ask', after('follow_up_requested', other, asked('Why?')), 'overtaken'],
      ['claim', after('claimed', me, has('mem_1')), 'done'],
      ['claim', after('reassigned', admin, has('mem_1')), 'overtaken'],
      ['hand_over', after('reassigned', me, has('mem_2')), 'done'],
      ['hand_over', after('reassigned', me, has('mem_3')), 'overtaken'],
      ['hand_over', after('reassigned', admin, has('mem_2')), 'overtaken'],
      ['approve', after('overdue', 'system'), 'overtaken'],
    ]
    for (const [act, found, expected] of cases)
      assert.equal(outcome(act, found), expected, `${act} ${found.history[0]?.actor}`)
  })

  it('stays done where others acted after it', () => {
    const handed = after('reassigned', me, has('mem_3'))
    const [first] = handed.history
    assert.ok(first)
    const on = { ...first, eventSequence: 4, caseVersion: 4, actor: admin }
    const moved = { ...handed, caseVersion: 4, eventSequence: 4, history: [first, on] }
    assert.equal(outcome('hand_over', moved), 'done')
  })
})

describe('what changed in a case', () => {
  it('is told by who did what', () => {
    const later = { caseVersion: 3, eventSequence: 3 }
    const told = (change: Partial<CaseAnswer>) =>
      changesOf(review, { ...review, ...later, ...change }).map(({ kind }) => kind)
    assert.deepEqual(told({ state: 'expired', decision: 'expired' }), ['expired'])
    assert.deepEqual(told({ state: 'decided', decision: 'rejected' }), ['decided'])
    assert.deepEqual(told({ assignment: { reviewerId: 'mem_2', assignedAt: '' } }), ['assigned'])
    assert.deepEqual(told({ overdueAt: review.dueAt }), ['overdue'])
    const question = { question: '?', askedAt: '', answer: 'yes', answeredAt: '' }
    assert.deepEqual(told({ followUps: [{ ...question, answer: null }] }), ['asked'])
    assert.deepEqual(told({ followUps: [question], presentationDigest: 'new' }), [
      'answered',
      'asked',
    ])
    assert.deepEqual(told({ presentationDigest: 'new' }), ['document'])
    assert.deepEqual(told({}), ['other'])
    assert.deepEqual(changesOf(review, review), [])
  })
})

describe('the form of a response', () => {
  const schema = {
    type: 'object',
    required: ['amount', 'ok'],
    properties: {
      amount: { type: 'integer', title: 'Amount', minimum: 1 },
      ok: { type: 'boolean' },
      to: { enum: ['a', 'b'] },
      note: { type: 'string' },
    },
  }
  const fields = responseFields({ schema, initial: { amount: 5 } }) ?? []

  it('has a field for each member of a flat schema, filled with the initial values', () => {
    assert.deepEqual(
      fields.map(({ name, type, initial, isRequired }) => [name, type, initial, isRequired]),
      [
        ['amount', 'integer', '5', true],
        ['ok', 'yes_no', '', true],
        ['to', 'choice', '', false],
        ['note', 'text', '', false],
      ],
    )
  })

  it('is a text where the schema is none that it can show whole', () => {
    const deep = { properties: { a: { type: 'object' }, b: { type: 'string' } } }
    for (const respond of [undefined, 'x', {}, { schema: 1 }, { schema: {} }, { schema: deep }])
      assert.equal(responseFields(respond), null)
  })

  it('reads values of the types that the schema names, and tells which are none', () => {
    assert.deepEqual(readResponse(fields, { ok: 'true', to: 'b', note: 'n' }), {
      value: { amount: 5, ok: true, to: 'b', note: 'n' },
      faults: [],
    })
    assert.deepEqual(readResponse(fields, { amount: '0', to: 'c' }), {
      value: {},
      faults: ['amount', 'ok', 'to'],
    })
  })
})

describe('the clock of the service', () => {
  it('goes by what was told and by the time that passed, whatever the device says', () => {
    let passed = 0
    const clock = serverClock(() => passed)
    assert.equal(clock.now(), null)
    const told = (ms: number) => clock.note(new Date(ms).toUTCString())
    told(100_000)
    passed = 700
    assert.equal(clock.now(), 100_700)
    told(100_000)
    assert.equal(clock.now(), 100_700)
    told(101_000)
    assert.equal(clock.now(), 101_000)
    passed = 1_700
    clock.note('no date')
    clock.note(null)
    assert.equal(clock.now(), 102_000)
    told(50_000)
    assert.equal(clock.now(), 50_000)
  })

  it('is what the service tells itself, once it did', () => {
    let passed = 0
    const clock = serverClock(() => passed)
    clock.note('Thu, 01 Jan 1970 00:01:40 GMT')
    clock.tell('1970-01-01T00:00:10.250Z')
    assert.equal(clock.now(), 10_250)
    passed = 4_000
    clock.tell('1970-01-01T00:00:10.250Z')
    clock.note('Thu, 01 Jan 1970 00:01:40 GMT')
    assert.equal(clock.now(), 14_250)
    clock.tell('not a time')
    clock.tell('1970-01-01T00:00:12.000Z')
    assert.equal(clock.now(), 12_000)
  })
})
