/** What detectors read: a string is one. Characters are UTF-16 units, -1 where there is none. */
export interface Text {
  readonly length: number
  charCodeAt(at: number): number
}

/** A part of a text: `from` inclusive, `to` exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Adds to `spans` what begins from `from` on and before `until`, and tells where to go on: at `until`, or behind what was
 * gone over beyond it. A text that is scanned in pieces yields the same as at once; `spans` holds what was found in the
 * pieces before.
 */
export type Scan = (text: Text, spans: Span[], from: number, until: number) => number

/** All that a scan finds in a text. */
export function findAll(scan: Scan, text: Text): readonly Span[] {
  const spans: Span[] = []
  scan(text, spans, 0, text.length)
  return spans
}

/** The unit at a place, -1 outside of the text. */
export function unitAt(text: Text, at: number): number {
  return at >= 0 && at < text.length ? text.charCodeAt(at) : -1
}

export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

export function isAsciiLetter(unit: number): boolean {
  const lower = unit | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

export function isAlphanumeric(unit: number): boolean {
  return isDigit(unit) || isAsciiLetter(unit)
}

/** A letter, digit or mark of any script; halves of surrogate pairs count as letters. */
export function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return isAlphanumeric(unit)
  if (unit >= 0xd800 && unit <= 0xdfff) return true
  const known = wordUnits[unit]
  if (known) return known === 1
  const isWord = wordUnit.test(String.fromCharCode(unit))
  wordUnits[unit] = isWord ? 1 : 2
  return isWord
}
/** What is known of each unit: 1 a part of a word, 2 none. */
const wordUnits = new Uint8Array(0x10000)
const wordUnit = /[\p{L}\p{N}\p{M}]/u
