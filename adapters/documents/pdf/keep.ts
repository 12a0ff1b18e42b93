import type { Content } from 'pdfmake/interfaces.js'
import {
  type Cell,
  type Column,
  chapter,
  type Fact,
  facts,
  factWidths,
  listing,
  shownFact,
  type Title,
} from './parts.ts'
import { linesOf, withoutHidden } from './runs.ts'

/** Points of a block that moves to the next page as a whole. A page has 733, so that estimates may be far off. */
export const keptHeight = 440
const lineHeight = 13
/** Points of a character, on average, at the sizes of facts and tables. */
const characterWidth = 5.2
const rowPadding = 5

/** About the points that a text takes in this width; characters behind those of alphabets count twice. */
export function heightOf(text: string, width: number): number {
  const perLine = Math.max(1, Math.floor(width / characterWidth))
  return linesOf(text).reduce((sum, line) => {
    const shown = withoutHidden(line)
    const wide = shown.replaceAll(/[\0-\u10ff]/g, '').length
    return sum + Math.max(1, Math.ceil((shown.length + wide) / perLine)) * lineHeight
  }, 0)
}

/** A title and what begins the text under it, on one page. */
export function titled(title: Content, first: Content): Content {
  return { stack: [title, first], unbreakable: true }
}

/** A chapter whose title stays on the page of what it begins with. */
export function chapterWith(title: string, first: Content): Content {
  return titled(chapter(title), first)
}

/** A title with its facts: on one page where they are short, else with as many of the first as are. */
export function factsUnder(
  title: Content,
  rows: readonly Fact[],
  options: { readonly mono?: boolean } = {},
): Content {
  let height = 0
  const behind = rows.findIndex(([name, value]) => {
    const { name: nameWidth, value: valueWidth } = factWidths
    height += Math.max(heightOf(name, nameWidth), heightOf(shownFact(value), valueWidth))
    height += rowPadding
    return height > keptHeight
  })
  if (behind === -1) return titled(title, facts(rows, options))
  if (behind === 0) return { stack: [title, facts(rows, options)] }
  const first = facts(rows.slice(0, behind), { ...options, goesOn: true })
  return { stack: [titled(title, first), facts(rows.slice(behind), options)] }
}

/**
 * A title with its table: on one page where it is short, else at the top of a page, a new one unless `newPage` is false
 * for a title that stands at the top.
 */
export function tableUnder(
  title: Title,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { newPage = true } = {},
): Content[] {
  const table = listing(columns, rows)
  const cellHeight = (cell: Cell, { width }: Column) =>
    typeof cell === 'object' ? lineHeight : heightOf(String(cell), width)
  const height = rows.reduce(
    (sum, row) =>
      sum + Math.max(...columns.map((column, at) => cellHeight(row[at] ?? null, column))),
    rows.length * rowPadding,
  )
  if (height <= keptHeight) return [titled(title, table)]
  return [newPage ? ({ ...title, pageBreak: 'before' } as Content) : title, table]
}

/** Items of a list under their title, which stays with the first. */
export function listUnder(title: Title, items: readonly Content[]): Content[] {
  const [first, ...rest] = items
  return first === undefined ? [] : [titled(title, first), ...rest]
}
