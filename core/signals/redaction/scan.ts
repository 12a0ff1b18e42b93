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
  return (unit >= 0xd800 && unit <= 0xdfff) || wordUnit.test(String.fromCharCode(unit))
}
const wordUnit = /[\p{L}\p{N}\p{M}]/u
