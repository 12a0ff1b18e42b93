import type { Finding, ListCheck } from '@countersign/core/evidence'
import type { LinesCheck } from './lines.ts'
import { decoded, strictDecoder } from './text.ts'

/** Longest row that is read. */
const rowLimit = 2 ** 20

const plain = /[^",\r\n]*/y

/** A cell, and where what follows it begins. */
interface Cell {
  readonly value: string | null
  readonly isLast: boolean
  readonly next: number
}

/** The cell that begins here, as `csvRow` writes it: texts quoted, numbers as they are, nothing for null. Null for none. */
function cellAt(text: string, start: number): Cell | null {
  const isQuoted = text[start] === '"'
  plain.lastIndex = start
  const end = isQuoted ? endOfQuoted(text, start) : start + (plain.exec(text)?.[0].length ?? 0)
  if (end === null) return null
  const given = text.slice(start, end)
  const value = isQuoted ? given.slice(1, -1).replaceAll('""', '"') : given || null
  if (text[end] === ',') return { value, isLast: false, next: end + 1 }
  return text.startsWith('\r\n', end) ? { value, isLast: true, next: end + 2 } : null
}

/** Behind the quote that no other follows; a search, for an expression keeps a place to go back to for each character. */
function endOfQuoted(text: string, start: number): number | null {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at + 1
  return null
}

/** Checks a member of a pack that is CSV, row by row, each as its cells: text, and null for an empty one. */
export function csvCheck(check: ListCheck): LinesCheck {
  const decoder = strictDecoder()
  const malformed: Finding[] = []
  let held = ''

  function rows(text: string): void {
    held += text
    let begin = 0
    let row: (string | null)[] = []
    for (let cell = cellAt(held, 0); cell; cell = cellAt(held, cell.next)) {
      row.push(cell.value)
      if (!cell.isLast) continue
      check.add(row)
      row = []
      begin = cell.next
    }
    held = held.slice(begin)
    if (held.length > rowLimit) malformed.push(wrong)
  }

  return {
    take(piece) {
      if (malformed.length > 0) return
      const text = decoded(decoder, piece)
      if (text === null) malformed.push(wrong)
      else rows(text)
    },
    end() {
      if (malformed.length > 0 || held !== '') return [wrong]
      check.end()
      return check.findings
    },
  }
}

const wrong: Finding = {
  result: 'failed',
  check: 'form',
  about: 'rows',
  detail: 'It is no CSV in UTF-8 as its issuer writes it.',
}
