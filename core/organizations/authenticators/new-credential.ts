import { isObject } from '../../base/events/shape.ts'
import type { NewCredential } from '../../base/ports/authenticators.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { openObject } from '../../kernel/members.ts'
import { anyText, line, type Shape } from '../../kernel/shape.ts'
import { decodeBase64Url } from '../../proof/signing/encoding.ts'
import { invalid } from './prove-presence.ts'

/** What a browser answers to `navigator.credentials.create`. */
export const newCredential: Shape<NewCredential> = openObject({
  id: line(longest.credentialId),
  response: openObject({
    clientDataJSON: anyText(longest.credentialData),
    attestationObject: anyText(longest.credentialData),
  }),
})

const fromUtf8 = new TextDecoder()

/** The challenge that a browser says it signed; empty where it says none. */
export function challengeIn({ response }: NewCredential): string {
  const bytes = decodeBase64Url(response.clientDataJSON)
  try {
    const said: unknown = bytes && JSON.parse(fromUtf8.decode(bytes))
    const challenge = isObject(said) ? said.challenge : null
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** The refusal of a credential that no registration of the member's vouches for. */
export function unverified(): ReturnType<typeof invalid> {
  return invalid(
    'registration',
    'expected a new credential of a registration begun within 5 minutes',
  )
}
