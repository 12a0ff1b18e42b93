import type { Modules, Wrappers } from './modules.ts'
import type { Mutant } from './mutant.ts'

const hour = 3_600_000

type Rows = Modules['review/machine/transitions']
type Verdict = ReturnType<Rows['claim']>
type Change = ReturnType<Rows['expire']>['change']
type Decided = ReturnType<Modules['review/machine/machine']['decide']>
type Moved = Extract<Decided, { readonly kind: 'moved' }>

/** A row whose moves change other members besides, or instead. */
function changing(verdict: Verdict, change: Change): Verdict {
  if ('refusal' in verdict) return verdict
  return {
    moves: verdict.moves.map((move) => ({ ...move, change: { ...move.change, ...change } })),
  }
}

/** The same decision on a case that has another member of its record again afterwards. */
function withCase(decided: Decided, change: Change): Decided {
  const back = (moved: Moved): Moved => ({ ...moved, case: { ...moved.case, ...change } })
  if (decided.kind === 'moved') return back(decided)
  if (decided.kind === 'refused' && decided.moved) return { ...decided, moved: back(decided.moved) }
  return decided
}

/** Deadline runs that are due again at another time. */
function deadlinesAt(
  again: (next: number, now: number) => number,
): Wrappers<Modules['review/deadlines']> {
  return {
    createDeadlineHandler:
      ({ createDeadlineHandler }) =>
      (host) => {
        const handler = createDeadlineHandler(host)
        return {
          ...handler,
          async run(item, attempt, owing) {
            const step = await handler.run(item, attempt, owing)
            const { next } = step
            return { ...step, next: next === null ? null : again(next, attempt.now) }
          },
        }
      },
  }
}

/** Takes a command of this kind on a decided case as if the case were open. */
function reopening(type: 'decide' | 'cancel'): Wrappers<Modules['review/machine/machine']> {
  return {
    decide:
      ({ decide }) =>
      (review, command, context) =>
        command.type === type && review.state === 'decided'
          ? decide({ ...review, state: 'open' }, command, { ...context, seen: null })
          : decide(review, command, context),
  }
}

const withoutDigest: Wrappers<Rows> = {
  claim:
    ({ claim }) =>
    (...given) =>
      changing(claim(...given), { presentationDigest: null }),
  reassign:
    ({ reassign }) =>
    (...given) =>
      changing(reassign(...given), { presentationDigest: null }),
}

/** Plans that keep cases and sessions for a part of their time. */
export function retentionOf(part: number): Wrappers<Modules['kernel/callers/plans']> {
  return {
    planOf:
      ({ planOf }) =>
      (tenant) => {
        const plan = planOf(tenant)
        return { ...plan, retentionDays: plan.retentionDays * part }
      },
  }
}

/** Cases that a reviewer or a customer would be told wrongly of. */
export const caseMutants: readonly Mutant[] = [
  {
    name: 'late approval',
    property: 'deadlines are kept',
    parts: {
      'review/machine/machine': {
        decide:
          ({ decide }) =>
          (review, command, context) => {
            const later = { ...review, expiresAt: review.expiresAt + hour }
            return withCase(decide(later, command, context), { expiresAt: review.expiresAt })
          },
      },
      'review/deadlines': deadlinesAt((next, now) => (next <= now ? now + hour : next)),
    },
  },
  {
    name: 'expiry that approves',
    property: 'expired never approves',
    parts: {
      'review/machine/transitions': {
        expire:
          ({ expire }) =>
          (context) => {
            const move = expire(context)
            return { ...move, change: { ...move.change, decision: 'approved' } }
          },
      },
    },
  },
  {
    name: 'decision on a closed case',
    property: 'one terminal step',
    parts: { 'review/machine/machine': reopening('decide') },
  },
  {
    name: 'cancelling what is decided',
    property: 'one terminal step',
    parts: { 'review/machine/machine': reopening('cancel') },
  },
  {
    name: 'overdue again and again',
    property: 'deadlines are kept',
    parts: {
      'review/machine/transitions': {
        overdue:
          ({ overdue }) =>
          (review, context) =>
            overdue({ ...review, overdueAt: null }, context),
      },
      'review/deadlines': deadlinesAt((next, now) => Math.min(next, now + 1_000)),
    },
  },
  {
    name: 'overdue too soon',
    property: 'deadlines are kept',
    parts: {
      'review/machine/transitions': {
        overdue:
          ({ overdue }) =>
          (review, context) =>
            overdue({ ...review, dueAt: Math.min(review.dueAt, context.now) }, context),
      },
      'review/deadlines': {
        deadlineItem:
          ({ deadlineItem }) =>
          (review) => {
            const item = deadlineItem(review)
            return { ...item, due: item.due - 10_000 }
          },
      },
    },
  },
  {
    name: 'digest of nothing accepted',
    property: 'digest is of what is shown',
    parts: {
      'review/machine/transitions': {
        decideOutcome:
          ({ decideOutcome }) =>
          (review, command, context) => {
            const presentationDigest = review.presentationDigest ?? command.presentationDigest
            return decideOutcome(review, { ...command, presentationDigest }, context)
          },
      },
    },
  },
  {
    name: 'digest of before the answer',
    property: 'digest is of what is shown',
    parts: {
      'review/machine/transitions': {
        answerFollowUp:
          ({ answerFollowUp }) =>
          (review, command, context) =>
            changing(answerFollowUp(review, command, context), {
              presentationDigest: review.presentationDigest,
            }),
      },
    },
  },
  {
    name: 'assignment without a digest',
    property: 'digest is of what is shown',
    parts: { 'review/machine/transitions': withoutDigest },
  },
  {
    name: 'an answer that resumes the work',
    property: 'answers change nothing',
    parts: {
      'review/machine/transitions': {
        settleCallback:
          ({ settleCallback }) =>
          (...given) =>
            changing(settleCallback(...given), {
              continuation: { outcome: 'resumed', reportedAt: 0, detail: null },
            }),
      },
    },
  },
  {
    name: 'a sequence that stands still',
    property: 'versions rise',
    parts: {
      'review/machine/record-steps': {
        recordSteps:
          ({ recordSteps }) =>
          (review, ...given) => {
            const moved = recordSteps(review, ...given)
            const eventSequence = Math.max(1, review.eventSequence)
            return {
              ...moved,
              case: { ...moved.case, eventSequence },
              recorded: moved.recorded.map((step) => ({ ...step, eventSequence })),
            }
          },
      },
    },
  },
  {
    name: 'a callback attempt that raises the version',
    property: 'versions rise',
    parts: {
      'review/machine/steps': {
        steps: ({ steps }) => ({
          ...steps,
          callback_attempted: { ...steps.callback_attempted, raises: true },
        }),
      },
    },
  },
  {
    name: 'one key, two requests',
    property: 'one key, one result',
    parts: {
      'kernel/ledger/receipts': {
        checkReceipt:
          ({ checkReceipt }) =>
          (found, receipt) =>
            checkReceipt(found, { ...receipt, ...(found?.rows[0]?.row as object | undefined) }),
      },
    },
  },
  {
    name: 'a case gone too soon',
    property: 'kept for its time',
    parts: { 'kernel/callers/plans': retentionOf(6 / 7) },
  },
  {
    name: 'a case gone before its outcome was taken',
    property: 'gone owes nothing',
    // No round of a callback takes as long as a plan keeps cases; an outage that long is more than a run has.
    parts: {
      'kernel/callers/plans': retentionOf(1 / 100),
      'removal/erasure/under-way': {
        isUnderWay:
          () =>
          ({ state }) =>
            state === 'open',
      },
    },
  },
  {
    name: 'acts without an entry',
    property: 'acts are audited',
    parts: {
      'review/execution/change-set': {
        partsOf:
          ({ partsOf }) =>
          (...given) => ({ ...partsOf(...given), appends: [] }),
      },
    },
  },
]
