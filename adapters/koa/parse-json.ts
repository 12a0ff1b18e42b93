import { type HostResult, refuse } from './refusal.ts'
import { scanJson } from './scan-json.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** JSON that is well-formed UTF-8, unchanged by parsing, and harmless to copy. */
export function parseJson(raw: Uint8Array): HostResult<unknown> {
  let text: string
  try {
    text = utf8.decode(raw)
  } catch {
    return refuse('invalid_request', 'expected JSON in UTF-8')
  }
  // Before parsing: it bounds what the parser and all behind it have to do.
  const fault = scanJson(text)
  if (fault) return refuse('invalid_request', fault.detail, { errors: [fault] })
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return refuse('invalid_request', `expected JSON in UTF-8: ${(error as Error).message}`)
  }
}
