import { longest } from '../ledger/limits.ts'
import type { FieldError } from '../ledger/refusal.ts'

const authority = /^https:\/\/([^/?#\\\s]+)/i

/** Why a URL can't be registered, as far as its text tells; where it leads is the egress guard's to judge. */
export function urlFault(url: string): FieldError | null {
  const fault = describeFault(url)
  return fault === null
    ? null
    : { code: 'invalid_url', detail: fault, pointer: '/url', parameter: null }
}

function describeFault(url: string): string | null {
  if (url.length > longest.url)
    return `expected a URL of at most ${longest.url} characters, got ${url.length}`
  if (/[\s\p{Cc}\p{Cs}]/u.test(url))
    return 'expected a URL without white space or control characters'
  const host = authority.exec(url)?.[1]
  if (host === undefined) return `expected an absolute https URL, got ${JSON.stringify(url)}`
  return host.includes('@') ? 'expected a URL without user name and password' : null
}

/** Whether two https URLs are one endpoint: host in any case, port 443 named or not, and whatever the fragment, which is never sent. */
export function sameUrl(a: string, b: string): boolean {
  return comparable(a) === comparable(b)
}

function comparable(url: string): string {
  const sent = url.split('#', 1)[0] ?? ''
  return sent.replace(/^([^/]*\/\/[^/?]*)\/?/, (_, origin: string) => {
    return `${origin.toLowerCase().replace(/:443$/, '')}/`
  })
}
