import type { Failure } from './property.ts'
import type { Wire } from './wire.ts'

const mostShown = 3
const mostBody = 600

/** What was sent, headers and body, of the last deliveries of a failure: the one that failed is among them. */
export function exchangeLines({ exchanges }: Pick<Failure, 'exchanges'>): readonly string[] {
  const shown = exchanges.slice(-mostShown)
  if (shown.length === 0) return []
  const which =
    exchanges.length > shown.length ? `the last ${shown.length} of ${exchanges.length}` : 'all'
  return [`  As sent (${which}; --json has the rest):`, ...shown.flatMap(lines)]
}

function lines({ method, headers, bytes, body, base64, status, error, answer }: Wire) {
  const text = body ?? `${base64} (base64)`
  const size = text.length > mostBody || bytes > text.length ? `… (${bytes} bytes)` : ''
  return [
    `    ${method}`,
    ...headers.map(([name, value]) => `      ${name}: ${value}`),
    `      ${visible(text.slice(0, mostBody))}${size}`,
    `      → ${status ?? error}${answer === '' ? '' : ` ${visible(answer)}`}`,
  ]
}

/** Control characters as JSON escapes, so that a report stays a text. */
const visible = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
