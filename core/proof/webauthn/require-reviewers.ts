import { requireKnown } from '../../base/events/require-known.ts'
import { isObject } from '../../base/events/shape.ts'
import { readAssertionKey } from './assertion-key.ts'
import type { Reviewers, ReviewersOfApplication } from './reviewers.ts'

/** What options must be, by name: in words, and whether a value is. */
export type Expectations<Name extends string> = Readonly<
  Record<Name, readonly [expected: string, holds: (value: unknown) => boolean]>
>

const isText = (value: unknown) => typeof value === 'string' && value !== ''
/** Hosts whose pages a browser trusts without TLS. Under an address none uses authenticators, but those of tests are. */
const ownHost = /^(?:(?:.+\.)?localhost|127\.0\.0\.1)$/

/** The host of an origin that a browser writes so, of a page that it trusts; else null. */
function hostOf(origin: unknown): string | null {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return null
  const { origin: written, protocol, hostname } = new URL(origin)
  const isSecure = protocol === 'https:' || (protocol === 'http:' && ownHost.test(hostname))
  return isSecure && written === origin && !hostname.endsWith('.') ? hostname : null
}
const isOrigin = (value: unknown) => hostOf(value) !== null
const isHost = (value: unknown) => hostOf(`https://${value}`) === value
const isKey = (value: unknown) =>
  isObject(value) && isText(value.kid) && isText(value.memberId) && readAssertionKey(value) !== null
/** One that was revoked must not be passed over for another of its id. */
const isEachOnce = (keys: readonly { readonly kid: string }[]) =>
  new Set(keys.map(({ kid }) => kid)).size === keys.length

const expectations: Expectations<keyof Reviewers> = {
  rpId: ["the portal's host such as portal.example.com", isHost],
  origins: [
    'a list of origins such as https://portal.example.com',
    (value) => Array.isArray(value) && value.length > 0 && value.every(isOrigin),
  ],
  keys: [
    'a list of JWKs of Ed25519, P-256 or RSA from 2048 bits with kid and memberId, no kid twice, or a function',
    (value) =>
      Array.isArray(value) ? value.every(isKey) && isEachOnce(value) : typeof value === 'function',
  ],
  refuseSynced: ['true or false', (value) => value === undefined || typeof value === 'boolean'],
  maxAgeMs: [
    'ms above 0',
    (value) => value === undefined || (typeof value === 'number' && value > 0),
  ],
}

/**
 * Throws a TypeError for an option that is missing, of another type or of another name than is known: without it a check
 * would be left out. `more`: options beside those of `Reviewers`.
 */
export function requireReviewers(
  given: unknown,
  more: Expectations<string> = {},
): asserts given is Reviewers {
  if (!isObject(given)) throw new TypeError(`expected reviewers as an object, got ${typeof given}`)
  const known: Expectations<string> = { ...expectations, ...more }
  for (const [name, [expected, holds]] of Object.entries(known))
    if (!holds(given[name])) throw new TypeError(`expected reviewers.${name} as ${expected}`)
  const { rpId, origins } = given as { readonly rpId: string; readonly origins: readonly string[] }
  if (!origins.some((origin) => `.${hostOf(origin)}`.endsWith(`.${rpId}`)))
    throw new TypeError(
      'expected reviewers.rpId as the host of one of its origins, or a parent of it',
    )
  requireKnown('reviewers', given, known)
}

const ownIds: Expectations<'tenantId' | 'applicationId'> = {
  tenantId: ["the organization's id", isText],
  applicationId: ["the application's id", isText],
}

/** As `requireReviewers`, of an application that verifies what it requests. */
export function requireOwnReviewers(given: unknown): asserts given is ReviewersOfApplication {
  requireReviewers(given, ownIds)
}
