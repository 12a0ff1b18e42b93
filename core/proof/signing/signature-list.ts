/** More entries than any rotation needs; each costs the receiver a verification. */
export const maxSignatures = 16

/** Room for sixteen signatures far larger than today's, well below what servers take as headers. */
const maxLength = 8192

/** `scheme,value` separated by single spaces; the classes share no character, so matching is linear. */
const grammar = /^[A-Za-z0-9]{1,16},[!-+\--~]*(?: [A-Za-z0-9]{1,16},[!-+\--~]*)*$/

export type SignatureList =
  | { readonly ok: true; readonly entries: readonly string[] }
  | {
      readonly ok: false
      readonly code: 'malformed_signature_list' | 'too_many_signatures'
      readonly detail: string
    }

/**
 * Splits a `webhook-signature` into its entries. A text that is no such list is refused whole. An entry whose value
 * can't be a signature of its scheme stays in the list and matches nothing, like one of an unknown scheme: one valid
 * signature proves the message, and whoever could spoil its neighbour could as well have removed it.
 */
export function parseSignatureList(text: string): SignatureList {
  if (text.length > maxLength)
    return malformed(`expected at most ${maxLength} characters, got ${text.length}`)
  if (!grammar.test(text))
    return malformed(
      'expected "v1,<base64>" or "v1a,<base64>" entries separated by single spaces (two headers joined into one look different)',
    )
  const entries = text.split(' ')
  if (entries.length > maxSignatures)
    return {
      ok: false,
      code: 'too_many_signatures',
      detail: `expected at most ${maxSignatures} signatures, got ${entries.length}`,
    }
  return { ok: true, entries }
}

function malformed(detail: string): SignatureList {
  return { ok: false, code: 'malformed_signature_list', detail }
}
