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
const form = /^sub_[0-9a-hjkmnp-tv-z]{26}$/

/** Whether it has the form of a pseudonym; everywhere such an id is taken for one. */
export function isPseudonym(id: string): boolean {
  return form.test(id)
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

/** A session without a data subject is its own: its payloads have a key that goes with it. */
export function sessionSubject(sessionId: string): SubjectName {
  return { subjectId: `session:${sessionId}`, rawId: null }
}

/** The text of a submission that names several subjects has a key of its own: it goes with the first of them. */
export function submissionSubject(sessionId: string): SubjectName {
  return { subjectId: `submission:${sessionId}`, rawId: null }
}
