import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { EgressGuard } from '../../base/ports/transport.ts'
import { longest } from './limits.ts'
import { type FieldError, ok, type Result, refuse } from './refusal.ts'

const authority = /^https:\/\/([^/?#\\\s]+)/i

/** Why the URL at `pointer` can't be registered, by its text alone; the egress guard judges the addresses behind it. */
export function urlFault(url: string, pointer = '/url'): FieldError | null {
  const fault = describeFault(url)
  return fault === null ? null : faultAt(pointer, 'invalid_url', fault)
}

/** Checks a URL before it is saved: its text, then by the egress guard the addresses behind it. */
export async function checkEndpointUrl(
  url: string,
  egress: EgressGuard,
  pointer = '/url',
): Promise<Result<null, 'invalid_url' | 'refused_address'>> {
  const fault = urlFault(url, pointer)
  if (fault) return refuse('invalid_url', `${pointer}: ${fault.detail}`, { errors: [fault] })
  const verdict = await egress.check(url)
  if (verdict.ok) return ok(null)
  const { code, detail } = verdict
  return refuse(code, detail, { errors: [faultAt(pointer, code, detail)] })
}

function faultAt(pointer: string, code: string, detail: string): FieldError {
  return { code, detail, pointer, parameter: null }
}

function describeFault(url: string): string | null {
  if (url.length > longest.url)
    return `expected a URL of at most ${longest.url} characters, got ${url.length}`
  if (/[\s\p{Cc}\p{Cs}]/u.test(url))
    return 'expected a URL without white space or control characters'
  const host = authority.exec(url)?.[1]
  if (host === undefined || parse(url) === null)
    return `expected an absolute https URL, got ${JSON.stringify(url)}`
  return host.includes('@') ? 'expected a URL without user name and password' : null
}

/** Whether two https URLs have the same normal form. */
export function sameUrl(a: string, b: string): boolean {
  return normalizedUrl(a) === normalizedUrl(b)
}

// Characters that RFC 3986 (2.2, 2.3) sends unencoded; all others are percent-encoded.
const sentAsIs = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/g
const unreserved = /[A-Za-z0-9\-._~]/

/**
 * The normal form of a URL: two URLs with the same host, port, path and query have the same one. Normalized by the URL
 * standard (case, IDNA and width of the host, forms of an address, port, dot segments, backslashes), without final dots
 * of the host, fragment or empty query, percent-encodings as in RFC 3986 (6.2.2). Text that is no URL stays as it is.
 */
export function normalizedUrl(url: string): string {
  const parsed = parse(url)
  if (!parsed) return url
  const { protocol, hostname, port, pathname, search } = parsed
  const host = hostname.replace(/\.+$/, '')
  const query = search === '?' ? '' : search
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}${recoded(pathname)}${recoded(query)}`
}

function recoded(text: string): string {
  return text
    .replace(/%([0-9a-f]{2})/gi, (written, hex: string) => {
      const char = String.fromCharCode(Number.parseInt(hex, 16))
      return unreserved.test(char) ? char : written.toUpperCase()
    })
    .replace(sentAsIs, (char) => encodeURIComponent(char))
}

function parse(url: string): URL | null {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/** The origin of an endpoint's URL, and a digest of what follows, which may be a secret. */
// A type, since interfaces have no index signature, which the detail of an entry has.
export type AuditedUrl = {
  readonly origin: string
  /** Hex SHA-256 of path and query in the normal form of URLs. */
  readonly restSha256: string
}

/** An endpoint's URL as the audit log has it. */
export function auditedUrl(url: string): AuditedUrl {
  const normal = normalizedUrl(url)
  const [origin = ''] = /^https:\/\/[^/?#]*/.exec(normal) ?? []
  return { origin, restSha256: bytesToHex(sha256(utf8ToBytes(normal.slice(origin.length)))) }
}
