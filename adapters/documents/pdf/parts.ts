import type { Content, ContentTable, TableCell } from 'pdfmake/interfaces.js'
import { shortened, textOf } from './text.ts'

/** Points between the margins of an A4 page. */
export const pageWidth = 499
/** Colors by name; dark enough on white to be read in print. */
export const colors = {
  ink: '#1c2430',
  soft: '#5b6675',
  line: '#d5dae1',
  shade: '#f3f5f8',
  accent: '#1f4e8c',
  good: '#1c7a4a',
  bad: '#b3261e',
  wait: '#9a6700',
} as const

/** A title of a chapter or of a part of one. */
export type Title = Exclude<Content, string | number | readonly unknown[]>

/** A chapter's title, in the contents and among the outlines. */
export function chapter(title: string, { newPage = false } = {}): Title {
  return {
    text: title,
    style: 'chapter',
    tocItem: true,
    outline: true,
    outlineText: title,
    outlineExpanded: false,
    id: idOf(title),
    ...(newPage ? { pageBreak: 'before' as const } : {}),
  }
}

/** The title of a part of a chapter. */
export function section(title: string): Title {
  return { text: title, style: 'section' }
}

/** The id by which outlines below a chapter name it. */
export function idOf(title: string): string {
  return `chapter ${title}`
}

/** A line of prose in the issuer's own words. */
export function prose(text: string): Content {
  return { text, style: 'prose' }
}

/** Characters of a fact and of a table's cell: a row of a table must fit a page. */
const factLimit = 3_000
const cellLimit = 600
/** A name and its value; null is a dash. */
export type Fact = readonly [name: string, value: unknown]

const nameWidth = 130
/** Points of the columns of facts. */
export const factWidths = { name: nameWidth, value: pageWidth - nameWidth - 8 } as const

/** A fact's value as it is printed. */
export function shownFact(value: unknown): string {
  return shortened(String(value ?? '–'), factLimit)
}

/** Names and values in two columns; `goesOn`: more of them follow right below. */
export function facts(
  rows: readonly Fact[],
  { mono = false, goesOn = false }: { readonly mono?: boolean; readonly goesOn?: boolean } = {},
): Content {
  return {
    table: {
      widths: [nameWidth, '*'],
      body: rows.map(([name, value]) => [
        { text: name, style: 'name' },
        textOf(shownFact(value), { width: factWidths.value, mono }),
      ]),
    },
    layout: goesOn ? 'factsGoingOn' : 'facts',
    margin: [0, 2, 0, goesOn ? -2 : 8],
  }
}

/** A column of a table: its title and its width in points. */
export interface Column {
  readonly title: string
  readonly width: number
  readonly mono?: boolean
  readonly align?: 'right'
}

/** A cell: text, or content that is set already. */
export type Cell = string | number | null | { readonly content: Content }

/** A table with a head that each page repeats; rows stay whole. */
export function listing(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): ContentTable {
  return {
    table: {
      headerRows: 1,
      keepWithHeaderRows: 1,
      dontBreakRows: true,
      widths: columns.map(({ width }) => width),
      body: [
        columns.map(({ title, align }) => ({
          text: title,
          style: 'head',
          alignment: align ?? 'left',
        })),
        ...rows.map((row) => columns.map((column, at) => cellOf(row[at] ?? null, column))),
      ],
    },
    layout: 'listing',
    margin: [0, 2, 0, 8],
  }
}

/** Rows of a table that is laid out at once. */
const rowsAtOnce = 400

/** A table of any number of rows, in tables of some that each have its head. */
export function* listingParts(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
): Generator<ContentTable, void, undefined> {
  let held: (readonly Cell[])[] = []
  for (const row of rows) {
    if (held.push(row) < rowsAtOnce) continue
    yield listing(columns, held)
    held = []
  }
  if (held.length > 0) yield listing(columns, held)
}

/** Whether content is a table. */
export function isTable(content: Content): content is ContentTable {
  return typeof content === 'object' && 'table' in content
}

/** A table in tables of some rows that each have its head; the same one where it is short. */
export function tablesOf(node: ContentTable): readonly ContentTable[] {
  const { table } = node
  const [head, ...rows] = table.body
  if (!head || rows.length <= rowsAtOnce) return [node]
  return Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, at) => {
    const some = rows.slice(at * rowsAtOnce, (at + 1) * rowsAtOnce)
    return { ...node, table: { ...table, body: [head, ...some] } }
  })
}

function cellOf(cell: Cell, { width, mono = false, align }: Column): TableCell {
  const content: Content =
    typeof cell === 'object' && cell !== null
      ? cell.content
      : textOf(shortened(String(cell ?? '–'), cellLimit), { width, mono, size: mono ? 6.5 : 8 })
  // A wrapper keeps the alignment apart from content that sets its own.
  return align === undefined ? { stack: [content] } : { stack: [content], alignment: align }
}

/** `2026-03-14 09:30:00.000 UTC` of an ISO time; what is no such time, as it is. */
export function timeOf(iso: string | null): string {
  const match = iso === null ? null : /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z$/.exec(iso)
  return match ? `${match[1]} ${match[2]} UTC` : (iso ?? '–')
}

/** A length of time for a reader. */
export function durationOf(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return '–'
  if (ms < 1_000) return `${ms} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 7_200_000) return `${(ms / 60_000).toFixed(1)} min`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

/** A count with its noun. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`
}

/** Words of a code such as `policy_requires_human_review`. */
export function wordsOf(code: string): string {
  return code.replaceAll('_', ' ')
}
