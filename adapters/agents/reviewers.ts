import type { SignatureCheck } from '@countersign/client'
import { faultOfOutcome, type Reviewers, verifyBySubtle } from '@countersign/core/webauthn'

/**
 * Pins the keys of reviewers in a program's file: JSON of `rpId`, `origins`, `keys` and, where it is wanted,
 * `refuseSynced`, as `pinReviewers` of `@countersign/receiver-kit/reviewers` takes them. Throws a TypeError for other JSON:
 * a check would be left out by a name that is misspelt.
 */
export function reviewersIn(text: string): SignatureCheck {
  const given: unknown = JSON.parse(text)
  if (!isReviewers(given))
    throw new TypeError('reviewers: expected JSON of rpId, origins, keys and refuseSynced alone')
  return {
    faultOf: (outcome, asked) =>
      faultOfOutcome(outcome, asked, given, (bytes) => verifyBySubtle(crypto.subtle, bytes)),
  }
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isKey = (value: unknown) =>
  isObject(value) && isText(value.kid) && isText(value.memberId) && isText(value.kty)
const isListOf = (value: unknown, holds: (each: unknown) => boolean) =>
  Array.isArray(value) && value.length > 0 && value.every(holds)

const members: Readonly<Record<keyof Reviewers, (value: unknown) => boolean>> = {
  rpId: isText,
  origins: (value) => isListOf(value, isText),
  keys: (value) => isListOf(value, isKey),
  refuseSynced: (value) => value === undefined || typeof value === 'boolean',
}

function isReviewers(given: unknown): given is Reviewers {
  if (!isObject(given)) return false
  const isKnown = Object.keys(given).every((name) => Object.hasOwn(members, name))
  return isKnown && Object.entries(members).every(([name, holds]) => holds(given[name]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
