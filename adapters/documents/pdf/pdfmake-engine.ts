import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import type { Content, CustomTableLayout, Style } from 'pdfmake/interfaces.js'

/** An object of a PDF file that is written when it ends. */
export interface PdfRef {
  end(content?: string): void
}

/** A font of a document, of which the glyphs that were used are written at the end. */
export interface PdfFont {
  readonly id: string
  ref(): PdfRef
  encode(text: string): readonly [glyphs: readonly string[], positions: unknown]
  widthOfString(text: string, size: number): number
  layoutCache?: object
}

/** What is used of pdfkit's document, as pdfmake makes it. */
export interface PdfDocument extends Readable {
  readonly page: {
    readonly height: number
    readonly fonts: Record<string, PdfRef>
    readonly xobjects: Record<string, PdfRef>
  }
  readonly fontCache: Readonly<Record<string, Readonly<Record<string, PdfFont>>>>
  _font: PdfFont
  addPage(options: object): this
  addContent(operators: string): this
  fill(color: string): this
  fontSize(size: number): this
  opacity(opacity: number): this
  provideFont(family: string, bold: boolean, italics: boolean): PdfFont
  ref(dictionary: object): PdfRef
  save(): this
  restore(): this
  text(text: string, x: number, y: number, options: object): this
  end(): this
}

/** A page that is laid out. */
export interface LaidOutPage {
  readonly items: readonly unknown[]
}

interface LayoutBuilder {
  registerTableLayouts(layouts: Readonly<Record<string, CustomTableLayout>>): void
  layoutDocument(
    content: readonly Content[],
    document: PdfDocument,
    styles: Readonly<Record<string, Style>>,
    defaultStyle: Style,
    background: undefined,
    header: (page: number) => Content | null,
    footer: (page: number) => Content,
  ): readonly LaidOutPage[]
}

interface PageSize {
  readonly width: number
  readonly height: number
  readonly orientation: 'portrait'
}

type Made<T, Arguments extends readonly unknown[]> = {
  readonly default: new (...given: Arguments) => T
}

const load = createRequire(import.meta.url)
const part = <T>(name: string) => load(`pdfmake/js/${name}.js`) as T

/**
 * The parts that pdfmake is made of, which its own entry runs once for a whole document. They have no types, and are
 * those of the exact version that this package depends on.
 */
export const engine = {
  Document:
    part<
      Made<
        PdfDocument,
        [
          fonts: object,
          images: object,
          patterns: object,
          attachments: object,
          options: object,
          files: object,
          mayReadFile: () => boolean,
        ]
      >
    >('PDFDocument').default,
  Layout:
    part<Made<LayoutBuilder, [size: PageSize, margins: object, svg: null]>>('LayoutBuilder')
      .default,
  Renderer:
    part<Made<{ renderPages(pages: readonly LaidOutPage[]): void }, [document: PdfDocument]>>(
      'Renderer',
    ).default,
} as const
