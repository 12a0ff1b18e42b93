import type { ExchangeError } from '@countersign/core/ports'
import type { Stage } from './connector.ts'

/** Most characters of an error's message in the delivery log. */
const mostDetail = 300

/** Classifies a failure by the progress of the connection. */
export function describeFailure(
  error: Error,
  stage: Stage,
): { readonly error: ExchangeError; readonly detail: string } {
  const code = codeOf(error)
  const words = error.message === '' ? error.name : error.message
  const detail = (code === null || words.includes(code) ? words : `${code}: ${words}`).slice(
    0,
    mostDetail,
  )
  // undici validates a request before it takes a connection.
  if (code === 'UND_ERR_INVALID_ARG') return { error: 'protocol', detail }
  if (stage !== 'ready') return { error: stage, detail }
  return { error: isReset(code) ? 'reset' : 'protocol', detail }
}

function isReset(code: string | null): boolean {
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}

function codeOf(error: Error): string | null {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : null
}
