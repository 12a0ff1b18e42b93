import { reasonGroups, reviewTiers } from '@countersign/core/events'
import { presentationDigest, type ReviewCase, type SeenVersion } from '@countersign/core/internal'
import fc from 'fast-check'
import { placeOf } from '../../content/records.ts'
import { refuse } from '../../kernel/ledger/refusal.ts'
import { signedDecisionModes } from '../../proof/webauthn/signing-rule.ts'
import type { CaseCommand, CommandContext } from '../../review/machine/command.ts'
import type { StoredSignature } from '../../review/signing/shapes.ts'

export const times = { createdAt: 1000, dueAt: 2000, expiresAt: 3000 } as const

const people = ['mem_me', 'mem_other', 'mem_third'] as const
const person = fc.constantFrom(...people)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const followUps = fc.array(
  fc.record({
    question: fc.string({ minLength: 1 }),
    askedAt: fc.constant(1100),
    answer: maybe(fc.string({ minLength: 1 })),
    answeredAt: fc.constant(null),
  }),
  { maxLength: 3 },
)

const continuation = maybe(
  fc.record({
    outcome: fc.constantFrom(...reasonGroups.continuation),
    reportedAt: fc.constant(1900),
    detail: fc.constant(null),
  }),
)

/** What applications ask at a policy's case: few, so that one is often asked again. */
const askings = fc.constantFrom({ action: 'pay' }, { action: 'pay', amount: 1 }, {})

/** The steps that say who opened a case, and whether it was adopted; others are left out. */
function historyOf(origin: 'application' | 'policy' | 'adopted'): ReviewCase['history'] {
  const step = { eventSequence: 1, caseVersion: 1, at: times.createdAt }
  const created = (actor: string) => ({ ...step, step: 'created' as const, actor })
  if (origin === 'application') return [created('application:app_1')]
  const ofPolicy = created('system')
  const taken = { ...step, eventSequence: 2, caseVersion: 2 }
  return origin === 'policy'
    ? [ofPolicy]
    : [ofPolicy, { ...taken, step: 'adopted', actor: 'application:app_1' }]
}

/** Pseudonyms of few people, so that two often are the same. */
const subject = fc.constantFrom('sub_1', 'sub_2')

/** Cases as rows 1 to 15 can leave them, half of them open. */
export const reviewCase: fc.Arbitrary<ReviewCase> = fc
  .record({
    state: fc.constantFrom('open', 'open', 'open', 'decided', 'cancelled', 'expired'),
    assigneeId: maybe(person),
    requestedBy: maybe(person),
    followUps,
    pending: fc.boolean(),
    overdueAt: maybe(fc.constant(2000)),
    callback: fc.record({
      state: fc.constantFrom('none', 'pending', 'received', 'failed'),
      attempts: fc.nat(7),
      lastAttemptAt: fc.constant(null),
    }),
    continuation,
    caseVersion: fc.integer({ min: 2, max: 9 }),
    silent: fc.nat(9),
    presentation: fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
      noNullPrototype: true,
      maxKeys: 3,
    }),
    reasonCategory: fc.constantFrom(...reasonGroups.why, ...reasonGroups.else),
    reviewTier: fc.constantFrom(...reviewTiers),
    outcome: fc.constantFrom('approved', 'rejected', 'response_submitted'),
    origin: fc.constantFrom('application', 'application', 'policy', 'adopted'),
    asked: askings,
    dataSubjectId: maybe(subject),
  })
  .map(({ pending, silent, outcome, origin, asked: application, ...given }) => {
    const adopted = origin === 'adopted'
    const drawn = adopted
      ? { ...given, presentation: { ...given.presentation, application } }
      : given
    const open = drawn.state === 'open'
    // Nobody decides a case that is unassigned, and the requester is never the reviewer.
    const assigneeId = drawn.state === 'decided' ? (drawn.assigneeId ?? 'mem_me') : drawn.assigneeId
    const requestedBy = drawn.requestedBy === assigneeId ? null : drawn.requestedBy
    const asked = pending && open && assigneeId !== null
    const followUps = asked
      ? [
          ...drawn.followUps,
          { question: 'pending?', askedAt: 1200, answer: null, answeredAt: null },
        ]
      : drawn.followUps
    const ended = drawn.state === 'decided' ? outcome : open ? null : drawn.state
    const review = {
      reviewCaseId: 'rc_1',
      tenantId: 'ten_1',
      applicationId: 'app_1',
      sessionId: 'ses_1',
      stepId: null,
      checkpointId: 'checkpoint',
      resumeToken: null,
      ...drawn,
      // A policy rule names nobody.
      dataSubjectId: origin === 'policy' ? null : drawn.dataSubjectId,
      ...times,
      assigneeId,
      requestedBy,
      followUps,
      followUp: asked ? ('asked' as const) : followUps.length > 0 ? ('answered' as const) : null,
      duePlace: placeOf(times.dueAt, 'rc_1'),
      assignedAt: assigneeId === null ? null : 1100,
      idleSince: assigneeId === null || asked || !open ? null : 1100,
      presentationDigest: assigneeId === null ? null : presentationDigest(drawn.presentation),
      eventSequence: drawn.caseVersion + silent,
      decision: asked ? ('follow_up_required' as const) : ended,
      cancellationReason: drawn.state === 'cancelled' ? ('end_user_cancelled' as const) : null,
      policyResults: [],
      updatedAt: 1900,
      closedAt: open ? null : 1900,
      decidedBy: drawn.state === 'decided' ? assigneeId : null,
      reviewerComment: null,
      response: null,
      reviewer: null,
      commentDigest: null,
      responseDigest: null,
      nonces: { comment: null, response: null },
      decisionSignature: null,
      callback: open ? { state: 'none', attempts: 0, lastAttemptAt: null } : drawn.callback,
      continuation: open ? null : drawn.continuation,
      history: historyOf(origin),
    }
    return review as ReviewCase
  })

/** What came of the verification of a signature; what it says is no matter of the machine. */
const signatures = [
  { ok: true as const, value: { credentialId: 'AAAA' } as StoredSignature },
  refuse('signature_invalid', 'expected another one'),
]
const nonce = fc.constantFrom('0'.repeat(64), 'a1'.repeat(32))

export type SeenKind =
  | 'nothing'
  | 'this'
  | 'older'
  | 'this position'
  | 'older with position'
  | 'older position'
export const seenKinds: readonly SeenKind[] = [
  'nothing',
  'this',
  'older',
  'this position',
  'older with position',
  'older position',
]

export function seenAs(
  kind: SeenKind,
  { caseVersion, eventSequence }: ReviewCase,
): SeenVersion | null {
  switch (kind) {
    case 'nothing':
      return null
    case 'this':
      return { caseVersion }
    case 'older':
      return { caseVersion: caseVersion - 1 }
    case 'this position':
      return { caseVersion, eventSequence }
    case 'older with position':
      return { caseVersion: caseVersion - 1, eventSequence }
    case 'older position':
      return { caseVersion, eventSequence: eventSequence - 1 }
  }
}

export interface Moment {
  readonly context: Omit<CommandContext, 'seen'>
  readonly seen: SeenKind
}

const { dueAt, expiresAt } = times

export const moment: fc.Arbitrary<Moment> = fc.record({
  context: fc.record({
    now: fc.constantFrom(1950, dueAt - 1, dueAt, dueAt + 1, expiresAt - 1, expiresAt, 3500),
    by: fc.constantFrom(
      { name: 'member:mem_me', memberId: 'mem_me', admin: false },
      { name: 'member:mem_me', memberId: 'mem_me', admin: true },
      { name: 'member:mem_third', memberId: 'mem_third', admin: false },
      { name: 'application:app_1', memberId: null, admin: false },
      { name: 'system', memberId: null, admin: false },
    ),
    callback: fc.boolean(),
  }),
  // Mostly the current version, or every other guard would hide behind this one.
  seen: fc.constantFrom<SeenKind>(...seenKinds, 'this', 'this position', 'nothing', 'nothing'),
})

export const commands: {
  readonly [T in CaseCommand['type']]: fc.Arbitrary<Extract<CaseCommand, { type: T }>>
} = {
  claim: fc.constant({ type: 'claim' }),
  reassign: fc.record({
    type: fc.constant('reassign'),
    to: fc.record({ memberId: person, eligible: fc.boolean() }),
  }),
  request_follow_up: fc.record({
    type: fc.constant('request_follow_up'),
    question: fc.string({ minLength: 1 }),
  }),
  answer_follow_up: fc.record({
    type: fc.constant('answer_follow_up'),
    answer: fc.string({ minLength: 1 }),
  }),
  decide: fc.record({
    type: fc.constant('decide'),
    decision: fc.constantFrom('approved', 'rejected', 'response_submitted'),
    // Replaced by the digest that is shown, unless it stays `other`.
    presentationDigest: fc.constantFrom('shown', 'shown', 'other'),
    comment: maybe(fc.string()),
    response: fc.jsonValue({ maxDepth: 1 }),
    reviewer: fc.record({
      name: fc.string(),
      role: fc.constantFrom('CustomerAdmin', 'CustomerAuditor'),
      signIn: fc.constantFrom('password', 'host'),
    }),
    nonces: fc.record({ comment: maybe(nonce), response: maybe(nonce) }),
    signed: fc.constantFrom(null, null, ...signatures),
    rule: fc.record({
      signedDecisions: fc.constantFrom(
        'optional' as const,
        'optional' as const,
        ...signedDecisionModes,
      ),
      refuseSynced: fc.boolean(),
    }),
    memberSigns: fc.boolean(),
  }),
  cancel: fc.record({
    type: fc.constant('cancel'),
    reason: fc.constantFrom(...reasonGroups.cancellation),
  }),
  deadline: fc.constant({ type: 'deadline' }),
  callback_settled: fc.record({
    type: fc.constant('callback_settled'),
    outcome: fc.constantFrom('received', 'retrying', 'given_up'),
    attempts: fc.nat(3),
  }),
  replay_callback: fc.constant({ type: 'replay_callback' }),
  report_continuation: fc.record({
    type: fc.constant('report_continuation'),
    outcome: fc.constantFrom(...reasonGroups.continuation),
    detail: maybe(fc.string()),
  }),
  adopt: fc.record({
    type: fc.constant('adopt'),
    presentation: askings,
    resumeToken: maybe(fc.constant(new Uint8Array([7]))),
    requestedBy: maybe(person),
    dataSubjectId: maybe(subject),
    subjectOfPlace: maybe(subject),
  }),
  move_session: fc.record({
    type: fc.constant('move_session'),
    sessionId: fc.constantFrom('ses_1', 'ses_2'),
  }),
}
