import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

/** A data subject as callers name it. */
export interface SubjectName {
  /** The pseudonym, `sub_…`. */
  readonly subjectId: string
  /** The id that the application gave; null where the caller knew the pseudonym alone. */
  readonly rawId: string | null
}

const utf8 = new TextEncoder()
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const letters = 26
/** The form of pseudonyms. */
export const pseudonymForm: RegExp = /^sub_[0-9a-hjkmnp-tv-z]{26}$/

/** Whether an id has the form of a pseudonym; it is then always taken for one. */
export function isPseudonym(id: string): boolean {
  return pseudonymForm.test(id)
}

/** `sub_` and 130 bits, in base 32, of HMAC-SHA-256 over the id in normal form C, under the tenant's pseudonym key. */
export function pseudonymOf(key: Uint8Array, id: string): string {
  const digest = hmac(sha256, key, utf8.encode(id.normalize('NFC')))
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of digest) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5 && text.length < letters) {
      bits -= 5
      text += alphabet.charAt((held >>> bits) & 31)
    }
    held &= (1 << bits) - 1
  }
  return `sub_${text}`
}

/** The subject that an id names: a pseudonym names itself. */
export function subjectOf(key: Uint8Array, id: string): SubjectName {
  return isPseudonym(id)
    ? { subjectId: id, rawId: null }
    : { subjectId: pseudonymOf(key, id), rawId: id }
}

/** The subject of a session that names none: its payloads have a key of their own, destroyed with the session. */
export function sessionSubject(sessionId: string): SubjectName {
  return { subjectId: `session:${sessionId}`, rawId: null }
}

/** The subject of a submission's text that names several: it has a key of its own, which the first erasure destroys. */
export function submissionSubject(sessionId: string): SubjectName {
  return { subjectId: `submission:${sessionId}`, rawId: null }
}
