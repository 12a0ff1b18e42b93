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
 * gone over beyond it. A text that is scanned in pieces yields the same as one that is scanned whole; `spans` holds what was found in the
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

/** Between groups of digits: a space of any width, a hyphen, dash or minus, or a mark that nobody sees. */
export function isGroupSeparator(unit: number): boolean {
  return groupSeparators.has(unit)
}
const groupSeparators = new Set(
  [
    ...' -\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
    ...'\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u200b\u200c\u200d\u2060\ufeff',
  ].map((char) => char.charCodeAt(0)),
)

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
