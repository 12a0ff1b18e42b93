import { isDigit, isGroupSeparator, type Scan, type Text, unitAt } from './scan.ts'

/** Beside other separators between groups; one alone is a decimal point. */
const marks = new Set([...'._/,·•'].map((char) => char.charCodeAt(0)))
const leastMarked = 2

/** First digits that payment cards of a length have (ISO/IEC 7812: the industry and the issuer). */
const firstDigits: Readonly<Record<number, string>> = {
  13: '4',
  14: '3',
  15: '123',
  16: '2345689',
  17: '2345689',
  18: '2345689',
  19: '2345689',
}
const longestCard = 19

/**
 * Payment cards: 13 to 19 digits, perhaps in groups with single spaces or hyphens of any kind, or in three groups or more
 * with dots, slashes, commas or underscores; with a valid Luhn check digit and a first digit that cards of the length
 * have. A number of more digits is none.
 */
export const scanPaymentCards: Scan = (text, spans, begin, until) => {
  let from = begin
  for (; from < until; from++) {
    if (!isDigit(text.charCodeAt(from)) || isDigit(unitAt(text, from - 1))) continue
    const to = cardEnd(text, from)
    if (to === null) continue
    spans.push({ from, to })
    from = to - 1
  }
  return from
}

/** The end of the longest card that begins here. */
function cardEnd(text: Text, from: number): number | null {
  const digits: number[] = []
  let end: number | null = null
  let separators = 0
  let isMarked = false
  for (let at = from; digits.length < longestCard; at++) {
    const unit = unitAt(text, at)
    if (isDigit(unit)) {
      digits.push(unit - 0x30)
      const isGrouped = !isMarked || separators >= leastMarked
      if (!isDigit(unitAt(text, at + 1)) && isGrouped && isCard(digits)) end = at + 1
      continue
    }
    const isMark = marks.has(unit)
    if ((!isMark && !isGroupSeparator(unit)) || !isDigit(unitAt(text, at + 1))) return end
    isMarked ||= isMark
    separators++
  }
  return end
}

function isCard(digits: readonly number[]): boolean {
  const first = firstDigits[digits.length]
  return (first?.includes(String(digits[0])) ?? false) && luhn(digits)
}

/** The check of ISO/IEC 7812-1, annex B: from the right every second digit counts double, its digits summed. */
export function luhn(digits: readonly number[]): boolean {
  let sum = 0
  for (const [at, digit] of digits.entries()) {
    const doubled = (digits.length - at) % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
