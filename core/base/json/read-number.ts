import { isExactNumber } from '../text/exact-number.ts'

/** So few bytes of digits, sign and point are exact in any case. */
const harmless = 15
/** The longest exact numbers are padded with zeros. */
const longest = 64
const wholeNumber = /^-?\d+$/
/** RFC 8259 section 6. */
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** What a number of a document is: where it ends, and what to do about one that parsing would change. */
export interface ReadNumber {
  readonly end: number
  /** What to put in its place: a whole number that no double holds, as a text of its digits. */
  readonly insert: string | null
  readonly fault: string | null
}

/** Reads the number that begins at `start`. */
export function readNumber(bytes: Uint8Array, start: number): ReadNumber {
  let end = start + 1
  let plain = true
  for (let byte = bytes[end]; byte !== undefined && isNumeric(byte); byte = bytes[++end])
    if ((byte | 0x20) === 0x65) plain = false
  const length = end - start
  if (plain && length <= harmless) return { end, insert: null, fault: null }
  return { end, ...judge(length > longest ? null : textAt(bytes, start, end)) }
}

function isNumeric(byte: number): boolean {
  // Digits, and the characters of fractions and exponents: + - . E e.
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2e ||
    byte === 0x2d ||
    byte === 0x2b ||
    (byte | 0x20) === 0x65
  )
}

function textAt(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] as number)
  return text
}

function judge(token: string | null): Omit<ReadNumber, 'end'> {
  if (token !== null) {
    // What is no number is the parser's to refuse.
    if (!numberForm.test(token)) return { insert: null, fault: null }
    const value = Number(token)
    const whole = wholeNumber.test(token)
    if (whole && !Number.isSafeInteger(value)) return { insert: `"${token}"`, fault: null }
    if (isExactNumber(token)) return { insert: null, fault: null }
    // A double beyond 2^53 that is written with an exponent, as a double is.
    if (!whole && Number.isInteger(value)) return { insert: `"${token}"`, fault: null }
  }
  return {
    insert: null,
    fault: 'expected a number that a double holds; send others as text',
  }
}
