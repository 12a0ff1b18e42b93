import { isAsciiLetter, isWordUnit, type Scan, type Text, unitAt } from './scan.ts'

const at = 0x40
const dot = 0x2e
const hyphen = 0x2d

/** What RFC 5322 allows in an unquoted local part beside letters and digits. */
const atomSigns = new Set([..."!#$%&'*+-/=?^_`{|}~."].map((char) => char.charCodeAt(0)))

/**
 * E-mail addresses: an unquoted local part and a domain of two labels or more, the last not numeric. Letters of any
 * script count. Each character is looked at twice at most: no address reaches over an `@`.
 */
export const scanEmails: Scan = (text, spans, begin, until) => {
  let i = begin
  for (; i < until; i++) {
    if (text.charCodeAt(i) !== at) continue
    const from = localStart(text, i, spans.at(-1)?.to ?? 0)
    const to = domainEnd(text, i + 1)
    if (from === i || to === null) continue
    spans.push({ from, to })
    i = to - 1
  }
  return i
}

function localStart(text: Text, end: number, free: number): number {
  let from = end
  while (from > free && isAtom(unitAt(text, from - 1))) from--
  while (from < end && unitAt(text, from) === dot) from++
  return from
}

function isAtom(unit: number): boolean {
  return isWordUnit(unit) || atomSigns.has(unit)
}

/** The end of the domain, without a dot or hyphen at its end; null where it has no two labels. */
function domainEnd(text: Text, from: number): number | null {
  let to = from
  let labels = 0
  let start = from
  let end: number | null = null
  for (;;) {
    const unit = unitAt(text, to)
    if (isWordUnit(unit)) {
      if (to === start) labels++
      if (labels >= 2 && (isAsciiLetter(unit) || unit >= 0x80)) end = to + 1
      else if (end !== null && end >= start) end = to + 1
    } else if (unit === dot && to > start) start = to + 1
    else if (unit !== hyphen || to === start) return end
    to++
  }
}
