import type { ExchangeResult } from '../../base/ports/transport.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { base64Url } from '../../proof/signing/encoding.ts'
import type { Challenge } from '../machine/command.ts'

/** The challenge of a new verification, and the id of the message that carries it. */
export function newChallenge({ id, random }: Pick<UnitOfWork, 'id' | 'random'>): Challenge {
  return { messageId: id('evt'), challenge: base64Url(random.bytes(32)) }
}

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
