import { once } from 'node:events'
import pdfmake from 'pdfmake'
import type { Content, CustomTableLayout, TDocumentDefinitions } from 'pdfmake/interfaces.js'
import { fontBytes, fontDescriptors } from './fonts.ts'
import { colors, pageWidth } from './parts.ts'
import { linesOf } from './runs.ts'
import { textOf } from './text.ts'

/** What a document says of itself. */
export interface SheetHead {
  readonly title: string
  readonly subject: string
  readonly author: string
  /** ISO; stands in the file's metadata, so that it must come from the document. */
  readonly date: string
  /** Left of the page's head. */
  readonly head: string
}

/** A document before it is set. */
export interface Sheet extends SheetHead {
  readonly content: Content[]
}

/** Margins of a page. */
export const margins = { left: 48, top: 56, right: 48, bottom: 52 } as const
/** Text that has no other style. */
export const textStyle = { font: 'Text', fontSize: 9, color: colors.ink, lineHeight: 1.15 } as const

export const styles = {
  title: { fontSize: 26, bold: true, color: colors.accent },
  subtitle: { fontSize: 13, color: colors.soft },
  chapter: { fontSize: 16, bold: true, color: colors.accent, margin: [0, 14, 0, 6] },
  section: { fontSize: 11, bold: true, color: colors.ink, margin: [0, 8, 0, 3] },
  prose: { fontSize: 9.5, lineHeight: 1.25, margin: [0, 0, 0, 6] },
  name: { fontSize: 9, color: colors.soft },
  head: { fontSize: 8, bold: true, color: colors.soft },
  label: { fontSize: 8, color: colors.ink },
  legend: { fontSize: 8, color: colors.ink },
  tick: { fontSize: 6.5, color: colors.soft },
  caption: { fontSize: 8, color: colors.soft, italics: false, margin: [0, 4, 0, 10] },
  page: { fontSize: 7.5, color: colors.soft },
} satisfies TDocumentDefinitions['styles']

export const layouts: Record<string, CustomTableLayout> = {
  facts: lines({ head: false, left: 0 }),
  factsGoingOn: {
    ...lines({ head: false, left: 0 }),
    hLineWidth: (at) => (at === 0 ? 0 : 0.4),
  },
  listing: lines({ head: true, left: 3 }),
  plot: {
    hLineWidth: () => 0,
    vLineWidth: () => 0,
    paddingLeft: () => 0,
    paddingRight: () => 8,
    paddingTop: () => 2,
    paddingBottom: () => 2,
  },
}

function lines({
  head,
  left,
}: {
  readonly head: boolean
  readonly left: number
}): CustomTableLayout {
  return {
    hLineWidth: (at, { table }) => (at === 0 || at === table.body.length ? 0 : 0.4),
    vLineWidth: () => 0,
    hLineColor: () => colors.line,
    fillColor: (row) => (head && row === 0 ? colors.shade : null),
    paddingLeft: () => left,
    paddingRight: () => 4,
    paddingTop: () => 2.5,
    paddingBottom: () => 2.5,
  }
}

/** The files that pdfmake looks for before it looks into the system's: fonts, each read once a thread. */
export const fontFiles = {
  existsSync: (name: string) => fontBytes(name) !== null,
  readFileSync: (name: string) => fontBytes(name),
}
// Its types don't have this member.
Object.assign(pdfmake, { virtualfs: fontFiles })

/** Sets a document. The same sheet gives the same bytes. */
export async function printed(sheet: Sheet): Promise<Uint8Array> {
  pdfmake.setFonts(fontDescriptors())
  pdfmake.setTableLayouts(layouts)
  // No text is ever taken for a place; these hold should one be.
  pdfmake.setUrlAccessPolicy(() => false)
  pdfmake.setLocalAccessPolicy(() => false)
  const stream = await pdfmake.createPdf(definitionOf(sheet)).getStream()
  const pieces: Uint8Array[] = []
  stream.on('data', (piece: Uint8Array) => pieces.push(piece))
  const ended = once(stream, 'end')
  stream.end()
  await ended
  return Buffer.concat(pieces)
}

function definitionOf({ content, ...head }: Sheet): TDocumentDefinitions {
  const { left, top, right, bottom } = margins
  return {
    pageSize: 'A4',
    pageMargins: [left, top, right, bottom],
    version: '1.7',
    language: 'en',
    displayTitle: true,
    info: infoOf(head),
    defaultStyle: textStyle,
    styles,
    header: (page) => (page === 1 ? null : pageHead(head)),
    footer: (page, pages) => ({
      columns: [
        noteOf(),
        { text: `${page} of ${pages}`, style: 'page', alignment: 'right', width: 60 },
      ],
      margin: [left, 18, right, 0],
    }),
    content,
  }
}

/** The file's metadata. */
export function infoOf({ title, subject, author, date }: SheetHead) {
  const created = new Date(date)
  // Without a time of its own a document would carry the present, and two of one session would differ.
  const creationDate = Number.isNaN(created.getTime()) ? new Date(0) : created
  const [creator, producer] = ['Countersign', 'Countersign']
  const told = { title: plain(title), subject: plain(subject), author: plain(author) }
  return { ...told, creator, producer, creationDate }
}

/** What stands at the top of each page but the first. */
export function pageHead({ head }: SheetHead): Content {
  const { left, right } = margins
  const style = { width: pageWidth, size: 7.5, color: colors.soft }
  return textOf(oneLine(head), { ...style, margin: [left, 28, right, 0] })
}

/** What stands at the foot of each page, beside its number. */
export function noteOf() {
  return {
    text: 'Countersign evidence. Verify the JSON beside this document by countersign-verify.',
    style: 'page',
  }
}

/** Text for metadata and outlines, where fonts are the reader's own. */
export function plain(text: string): string {
  return oneLine(text).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
}

function oneLine(text: string): string {
  const line = linesOf(text).join(' ')
  return line.length > 110 ? `${line.slice(0, 109).trimEnd()}…` : line
}
