import type { ExchangeResult } from '../../base/ports/transport.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Whether an answer is a JSON object with one member, `challenge`, of this value, and came whole (interface, Verification). */
export function echoes(answer: ExchangeResult | null, challenge: string): boolean {
  if (answer?.kind !== 'answer' || answer.truncated) return false
  const parsed = parse(answer.body)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false
  const members = Object.entries(parsed)
  return members.length === 1 && members[0]?.[0] === 'challenge' && members[0][1] === challenge
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    return null
  }
}
