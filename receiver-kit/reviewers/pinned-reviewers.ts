import {
  type AskedCase,
  type DecisionTimes,
  type Expectations,
  type Reviewers,
  requireReviewers,
} from '@countersign/core/webauthn'
import type { OutcomeTurn } from '../outcome-handler.ts'

/** Whose signatures count, and for what. */
export interface PinnedReviewers extends Reviewers {
  /**
   * Finds what was asked at the outcome's checkpoint in the application's own records: session, checkpoint, resume token
   * and presentation, or the digest of that (hex SHA-256 of its RFC 8785 form); null where nothing was asked there.
   * What was asked has to stand there before the case is opened: an outcome that comes first is not signed, and ended.
   */
  readonly expected: (outcome: OutcomeTurn['outcome']) => Promise<AskedCase | null>
  /** Finds there when it was asked and by when it had to be signed, ms since the epoch; unless given, neither is known. */
  readonly within?: (outcome: OutcomeTurn['outcome']) => Promise<Omit<DecisionTimes, 'receivedAt'>>
}

const isFunction = (value: unknown) => typeof value === 'function'

const expectations: Expectations<Exclude<keyof PinnedReviewers, keyof Reviewers>> = {
  expected: ['a function', isFunction],
  within: ['a function', (value) => value === undefined || isFunction(value)],
}

/** Throws a TypeError for options that are missing, wrong or unknown. */
export function requirePinned(reviewers: PinnedReviewers): void {
  requireReviewers(reviewers, expectations)
}
