import type { AskedDocument, Reviewers } from '@countersign/core/webauthn'
import type { OutcomeTurn } from '../outcome-handler.ts'

/** Whose signatures count, and for what. */
export interface PinnedReviewers extends Reviewers {
  /**
   * Finds what was asked at the outcome's checkpoint, or its digest (hex SHA-256 of its RFC 8785 form), in the
   * application's own records; null where nothing was asked there.
   */
  readonly expected: (outcome: OutcomeTurn['outcome']) => Promise<AskedDocument | null>
}

const texts = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')

const expectations: Readonly<
  Record<keyof PinnedReviewers, readonly [expected: string, holds: (value: unknown) => boolean]>
> = {
  rpId: ["the portal's host", (value) => typeof value === 'string' && value !== ''],
  origins: ['a list of origins', texts],
  keys: [
    'a list of JWKs or a function',
    (value) => Array.isArray(value) || typeof value === 'function',
  ],
  expected: ['a function', (value) => typeof value === 'function'],
  refuseSynced: ['true or false', (value) => value === undefined || typeof value === 'boolean'],
}

/** Throws a TypeError for a member that is missing or of another type: without any of them a check would be left out. */
export function requireReviewers(reviewers: PinnedReviewers): void {
  const given: unknown = reviewers
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`expected reviewers as an object, got ${typeof given}`)
  for (const [name, [expected, holds]] of Object.entries(expectations))
    if (!holds(Reflect.get(given, name)))
      throw new TypeError(`expected reviewers.${name} as ${expected}`)
}
