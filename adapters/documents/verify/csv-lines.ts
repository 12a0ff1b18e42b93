import type { Finding, ListCheck } from '@countersign/core/evidence'
import type { LinesCheck } from './lines.ts'

/** Longest row that is read. */
const rowLimit = 2 ** 20

/** A cell and its end, as `csvRow` writes them: texts quoted, numbers as they are, nothing for null. */
const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y

/** Checks a member of a pack that is CSV, row by row, each as its cells: text, and null for an empty one. */
export function csvCheck(check: ListCheck): LinesCheck {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const malformed: Finding[] = []
  let held = ''

  function rows(text: string): void {
    held += text
    let begin = 0
    let row: (string | null)[] = []
    cell.lastIndex = 0
    for (let found = cell.exec(held); found; found = cell.exec(held)) {
      const [, quoted, plain, end] = found
      row.push(quoted?.replaceAll('""', '"') ?? (plain || null))
      if (end === ',') continue
      check.add(row)
      row = []
      begin = cell.lastIndex
    }
    held = held.slice(begin)
    if (held.length > rowLimit) malformed.push(wrong)
  }

  return {
    take(piece) {
      if (malformed.length > 0) return
      try {
        rows(decoder.decode(piece, { stream: true }))
      } catch {
        malformed.push(wrong)
      }
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
