import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import type { Content } from 'pdfmake/interfaces.js'
import { fontDescriptors } from './fonts.ts'
import { fillOf, laterText } from './later-text.ts'
import {
  fontFiles,
  infoOf,
  layouts,
  margins,
  noteOf,
  pageHead,
  type SheetHead,
  styles,
  textStyle,
} from './page.ts'
import { colors, idOf, pageWidth } from './parts.ts'
import { engine, type PdfDocument } from './pdfmake-engine.ts'

/** A chapter in parts, each of which is laid out by itself and begins a page. */
export interface ChapterInParts {
  /** As in the contents; null for what stands before them. */
  readonly title: string | null
  readonly parts: Iterable<readonly Content[]>
}

/** A document that is too long to be laid out whole. */
export interface SheetInParts extends SheetHead {
  readonly chapters: readonly ChapterInParts[]
}

const size = { width: 595.28, height: 841.89, orientation: 'portrait' } as const
const numberSize = 7.5
const right = margins.left + pageWidth
/** Room for the count of pages, at the right end of the foot. */
const countWidth = 22

/**
 * Sets a document part by part: pdfmake lays out one, its pages are written, and it is forgotten before the next. What
 * is not known by then, the count of pages and the pages of chapters, is written at the end. The same sheet gives the
 * same bytes.
 */
export async function printedInParts(sheet: SheetInParts): Promise<Uint8Array> {
  const pdf = open(sheet)
  const pieces: Uint8Array[] = []
  // A copy: a piece is the part that was filled of a larger buffer of zlib's.
  pdf.on('data', (piece: Uint8Array) => pieces.push(Uint8Array.from(piece)))
  const ended = once(pdf, 'end')
  const style = { size: numberSize, color: colors.soft }
  const count = laterText(pdf, { ...style, name: 'PageCount' })
  let pages = 0
  pdf.on('pageAdded', () => {
    pages++
    const baseline = size.height - 26
    atRight(pdf, `${pages} of`, baseline)
    count.place(right - countWidth + 2, baseline)
  })
  const renderer = new engine.Renderer(pdf)
  const contents = sheet.chapters.flatMap(({ title }) => title ?? [])
  const numbers = contents.map((_, at) =>
    laterText(pdf, { size: 9.5, color: colors.soft, name: `Chapter${at}` }),
  )
  const begins: number[] = []
  let hasContents = false

  for (const { title, parts } of sheet.chapters) {
    if (title !== null && !hasContents) {
      hasContents = true
      renderer.renderPages(laidOut(pdf, sheet, contentsOf(contents), pages))
      for (const [at, number] of numbers.entries()) number.place(right - 30, rowAt(at) + 8)
    }
    if (title !== null) begins.push(pages + 1)
    for (const part of parts) {
      renderer.renderPages(laidOut(pdf, sheet, part, pages))
      forgetWords(pdf)
      // Lets what was written go.
      await turn()
    }
  }
  for (const [at, number] of numbers.entries()) number.write(String(begins[at]))
  count.write(String(pages))
  pdf.end()
  await ended
  return Buffer.concat(pieces)
}

function open(sheet: SheetHead): PdfDocument {
  const options = {
    size: [size.width, size.height],
    pdfVersion: '1.7',
    displayTitle: true,
    compress: true,
    lang: 'en',
    bufferPages: false,
    autoFirstPage: false,
    font: null,
    // pdfkit takes the names of the format.
    info: Object.fromEntries(
      Object.entries(infoOf(sheet)).map(([name, value]) => [
        name.charAt(0).toUpperCase() + name.slice(1),
        value,
      ]),
    ),
  }
  // No text is ever taken for a file; this holds should one be.
  return new engine.Document(fontDescriptors(), {}, {}, {}, options, fontFiles, () => false)
}

function laidOut(pdf: PdfDocument, sheet: SheetHead, content: readonly Content[], before: number) {
  const layout = new engine.Layout(size, margins, null)
  layout.registerTableLayouts(layouts)
  return layout.layoutDocument(
    [...content],
    pdf,
    styles,
    textStyle,
    undefined,
    (page) => (before + page === 1 ? null : pageHead(sheet)),
    () => ({ ...noteOf(), margin: [margins.left, 18, margins.right, 0] }),
  )
}

/** Text whose end is where the count of pages begins. */
function atRight(pdf: PdfDocument, text: string, baseline: number): void {
  const font = pdf.provideFont('Text', false, false)
  const width = font.widthOfString(text, numberSize)
  pdf.page.fonts[font.id] = font.ref()
  const [glyphs] = font.encode(text)
  const x = right - countWidth - width
  pdf.addContent(
    `q 1 0 0 -1 ${x.toFixed(2)} ${baseline.toFixed(2)} cm BT ${fillOf(colors.soft)} /${font.id} ${numberSize} Tf <${glyphs.join('')}> Tj ET Q`,
  )
}

const firstRow = 96
const rowHeight = 18
const rowAt = (at: number) => firstRow + at * rowHeight

/** The list of chapters; each row leads to its chapter. */
function contentsOf(titles: readonly string[]): readonly Content[] {
  return [
    { text: 'Contents', style: 'chapter', absolutePosition: { x: margins.left, y: 62 } },
    ...titles.map(
      (title, at): Content => ({
        text: title,
        fontSize: 9.5,
        linkToDestination: idOf(title),
        absolutePosition: { x: margins.left, y: rowAt(at) },
      }),
    ),
  ]
}

/** pdfkit keeps each word that it has set, for as long as the document. */
function forgetWords({ fontCache }: PdfDocument): void {
  for (const weights of Object.values(fontCache))
    for (const font of Object.values(weights)) if (font.layoutCache) font.layoutCache = {}
}
