import type { ExchangeResult } from '../base/ports/transport.ts'
import { parseRetryAfter } from './retry-after.ts'

/** The verdict on an exchange; `gone` (410) ends all deliveries to the endpoint. */
export type AnswerVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly retryAfter: number | null }

/** Only 2xx is success, a redirect is not, and 410 is final; the status decides, a cut body does not. */
export function judge(result: ExchangeResult, wallNow: number): AnswerVerdict {
  if (result.kind === 'error') return { kind: 'failed', retryAfter: null }
  if (result.status >= 200 && result.status <= 299) return { kind: 'delivered' }
  if (result.status === 410) return { kind: 'gone' }
  const asked = Object.entries(result.headers).find(
    ([name]) => name.toLowerCase() === 'retry-after',
  )
  return { kind: 'failed', retryAfter: asked ? parseRetryAfter(asked[1], wallNow) : null }
}

/** A failure in a word, safe to keep in a column; null for a success. */
export function failureOf(result: ExchangeResult): string | null {
  return result.kind === 'error' ? result.error : describeFailure(result)
}

/** The error as the delivery log shows it; null for a success. */
export function describeFailure(result: ExchangeResult): string | null {
  if (result.kind === 'error') return `${result.error}: ${result.detail}`
  const { status } = result
  if (status >= 200 && status <= 299) return null
  if (status >= 300 && status <= 399) return `answered ${status}; redirects are not followed`
  return `answered ${status}, expected 2xx`
}
