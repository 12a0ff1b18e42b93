import type { ReviewCase } from '@countersign/core/internal'
import { usualSigningRule } from '../../applications/signing-rule.ts'
import { digestOf } from '../../base/canonical/digest.ts'
import type { CaseCommand, CommandContext, Moved } from '../../review/machine/command.ts'
import { decide } from '../../review/machine/machine.ts'
import type { Case, Decide } from './machine-properties.ts'

/** Decides on a distorted view; what the decision leaves alone comes out as it was, so that only the "yes" is wrong. */
export const before =
  (
    distort: (review: ReviewCase, command: CaseCommand, context: CommandContext) => Partial<Case>,
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
export const mutants: Readonly<Record<string, Readonly<Record<string, Decide>>>> = {
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
    'a second question is taken while one waits': before((review) => ({
      review: review.decision === 'follow_up_required' ? { ...review, decision: null } : review,
    })),
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
    'a comment has no digest': after((moved) => withCase(moved, { commentDigest: null })),
    'a digest covers no nonce': after((moved) =>
      withCase(moved, { responseDigest: digestOf(moved.case.response) }),
    ),
    'a wrong signature is taken': before((_, command) =>
      command.type === 'decide' && command.signed && !command.signed.ok
        ? { command: { ...command, signed: null, memberSigns: false, rule: usualSigningRule } }
        : {},
    ),
    'who signs may decide unsigned': before((_, command) =>
      command.type === 'decide' ? { command: { ...command, memberSigns: false } } : {},
    ),
    'elevated tiers need no signature': before((_, command) =>
      command.type === 'decide' && command.rule.signedDecisions === 'elevated'
        ? { command: { ...command, rule: usualSigningRule } }
        : {},
    ),
    'a signature is dropped': after((moved) => withCase(moved, { decisionSignature: null })),
    'the reviewer is forgotten': after((moved) => withCase(moved, { reviewer: null })),
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
  '14': {
    "an application's own case is adopted": before((review) => ({
      review: {
        ...review,
        history: review.history.map((step) => ({ ...step, actor: 'system' })),
      },
    })),
    'an adopted case is adopted again': before((review) => ({
      review: { ...review, history: review.history.slice(0, 1) },
    })),
    'the assignee may be who asked': before((review) => ({
      review: { ...review, assigneeId: null },
    })),
    'the digest stays': after((moved, { presentationDigest }) =>
      withCase(moved, { presentationDigest }),
    ),
    'the given token replaces the one that is there': after((moved) =>
      withCase(moved, { resumeToken: new Uint8Array([7]) }),
    ),
    'whom the opening names is forgotten': after((moved) =>
      withCase(moved, { dataSubjectId: null }),
    ),
  },
  '15': {
    'a later name is dropped': after((moved, { dataSubjectId }) =>
      withCase(moved, { dataSubjectId }),
    ),
    'a name is no step': (review, command, context) => {
      const decided = decide(review, command, context)
      const isNaming = decided.kind === 'moved' && decided.recorded[0]?.step === 'subject_named'
      return isNaming ? { kind: 'same' } : decided
    },
    'a name raises the version': after((moved) =>
      withCase(moved, { caseVersion: moved.case.caseVersion + 1 }),
    ),
    "whoever's the session is": before((_, command) =>
      command.type === 'adopt' ? { command: { ...command, subjectOfPlace: null } } : {},
    ),
    'a name replaces another': before((review) => ({ review: { ...review, dataSubjectId: null } })),
  },
  '16': {
    'a case moves without a step': (review, command, context) => {
      const decided = decide(review, command, context)
      const isMove = decided.kind === 'moved' && command.type === 'move_session'
      if (!isMove) return decided
      return { ...decided, case: { ...review, sessionId: decided.case.sessionId }, recorded: [] }
    },
    'a closed case stays': (review, command, context) =>
      review.state === 'open' ? decide(review, command, context) : { kind: 'same' },
    'a move raises the version': after((moved) =>
      withCase(moved, { caseVersion: moved.case.caseVersion + 1 }),
    ),
  },
}
