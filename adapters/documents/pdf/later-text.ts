import type { PdfDocument, PdfRef } from './pdfmake-engine.ts'

/** A short text that is placed before it is known. */
export interface LaterText {
  /** Puts it on the current page, its baseline at these points from the left and the top. */
  place(x: number, y: number): void
  /** To be called once, before the document ends. */
  write(text: string): void
}

/** The fill of a text, of its red, green and blue. */
export function fillOf(color: string): string {
  const part = (at: number) => (Number.parseInt(color.slice(at, at + 2), 16) / 255).toFixed(3)
  return `${part(1)} ${part(3)} ${part(5)} rg`
}

/** Pages are written as they fill, so that what only the end knows stands in a form that they refer to. */
export function laterText(
  document: PdfDocument,
  { name, size, color }: { readonly name: string; readonly size: number; readonly color: string },
): LaterText {
  const font = document.provideFont('Text', false, false)
  const form: PdfRef = document.ref({
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [0, -size, 12 * size, size],
    Resources: { Font: { [font.id]: font.ref() } },
  })
  return {
    place(x, y) {
      document.page.xobjects[name] = form
      // The page's first axis points down from its top.
      document.addContent(`q 1 0 0 -1 ${x.toFixed(2)} ${y.toFixed(2)} cm /${name} Do Q`)
    },
    write(text) {
      const [glyphs] = font.encode(text)
      form.end(`BT ${fillOf(color)} /${font.id} ${size} Tf <${glyphs.join('')}> Tj ET`)
    },
  }
}
