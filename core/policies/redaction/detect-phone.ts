import { isAlphanumeric, isDigit, isGroupSeparator, type Scan, type Text, unitAt } from './scan.ts'

const plus = 0x2b
const open = 0x28
const zero = 0x30
const marks = new Set([...'./()'].map((char) => char.charCodeAt(0)))
/** Separators between two groups, such as `) `. */
const mostBetween = 3
/** Digits of a run that is looked at; more begin another. */
const mostDigits = 40

/** Digits of an international number with its country code (E.164), and of a national one. */
const international = { least: 8, most: 15 }
const national = { least: 9, most: 15 }

/**
 * Telephone numbers: `+` or `00` and 8 to 15 digits; or 9 to 15 digits that begin with 0 or with an area code in
 * parentheses, or stand in three groups or more. Groups are separated by a space, hyphen, dot, slash or parentheses.
 * Dates and dotted quads are none. Numbers that only a separator divides are taken as one.
 */
export const scanPhones: Scan = (text, spans, begin, until) => {
  let from = begin
  for (; from < until; from++) {
    if (!begins(text, from)) continue
    const run = runFrom(text, from)
    if (!isPhone(run)) continue
    spans.push({ from, to: run.to })
    from = run.to - 1
  }
  return from
}

interface Run {
  readonly to: number
  readonly prefix: 'plus' | 'parenthesis' | null
  /** Digits of each group. */
  readonly groups: readonly number[]
  /** The first two of the first group. */
  readonly lead: string
  /** Between the groups. */
  readonly between: string
}

function isSeparator(unit: number): boolean {
  return marks.has(unit) || isGroupSeparator(unit)
}

function begins(text: Text, from: number): boolean {
  const unit = text.charCodeAt(from)
  const before = unitAt(text, from - 1)
  if (isAlphanumeric(before) || before === plus) return false
  if (unit === plus || unit === open) return true
  // Within other numbers only one that is marked.
  const within = isSeparator(before) && isDigit(unitAt(text, from - 2))
  return within ? unit === zero : isDigit(unit)
}

/** Groups of digits from here; separators behind the last are no part of it. */
function runFrom(text: Text, from: number): Run {
  const first = text.charCodeAt(from)
  const groups: number[] = []
  const ends: number[] = []
  let count = 0
  let lead = ''
  let between = ''
  let gap = ''
  for (let at = first === plus ? from + 1 : from; ; at++) {
    const unit = unitAt(text, at)
    if (isDigit(unit)) {
      const last = groups.length - 1
      if (ends[last] === at) groups[last] = (groups[last] ?? 0) + 1
      else {
        if (count >= mostDigits) break
        if (groups.length > 0) between += gap
        groups.push(1)
      }
      ends[groups.length - 1] = at + 1
      if (groups.length === 1 && lead.length < 2) lead += String.fromCharCode(unit)
      gap = ''
      count++
    } else {
      if (!isSeparator(unit) || gap.length === mostBetween) break
      gap += String.fromCharCode(unit)
    }
  }
  // Digits that go on as a word belong to an id.
  if (isAlphanumeric(unitAt(text, ends.at(-1) ?? -1))) {
    groups.pop()
    ends.pop()
  }
  const prefix = first === plus ? 'plus' : first === open ? 'parenthesis' : null
  return {
    to: ends.at(-1) ?? from + 1,
    prefix,
    groups,
    lead: groups.length > 0 ? lead : '',
    between,
  }
}

function isPhone({ prefix, groups, lead, between }: Run): boolean {
  const count = groups.reduce((sum, length) => sum + length, 0)
  const zeros = lead === '00'
  if (prefix === 'plus' || zeros) {
    const digits = zeros && prefix === null ? count - 2 : count
    return digits >= international.least && (digits <= international.most || groups.length > 1)
  }
  if (count < national.least || isDateOrQuad(groups, between)) return false
  const marked = prefix === 'parenthesis' || lead.startsWith('0')
  return count <= national.most ? marked || groups.length >= 3 : marked && groups.length > 1
}

function isDateOrQuad(lengths: readonly number[], between: string): boolean {
  const isDate = lengths[0] === 4 && lengths[1] === 2 && lengths[2] === 2
  return isDate || (between === '...' && lengths.every((length) => length <= 3))
}
