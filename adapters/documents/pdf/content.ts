import type { Content } from 'pdfmake/interfaces.js'
import { colors } from './parts.ts'
import { beginningOf, textOf } from './text.ts'

/** Characters of one field of content that are printed; the rest is in the JSON. */
const fieldLimit = 3_000
/** Characters of content that one document prints. */
const documentLimit = 400_000

/** Prints content until the document has enough of it, and says what it leaves out. */
export interface ContentPrinter {
  field(name: string, value: unknown, width: number): Content
  /** Fields that were cut. */
  cut(): number
}

export function printContent(): ContentPrinter {
  let left = documentLimit
  let cut = 0
  return {
    cut: () => cut,
    field(name, value, width) {
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
      const shown = beginningOf(text, Math.min(fieldLimit, left))
      left -= shown.length
      const missing = text.length - shown.length
      if (missing > 0) cut++
      return {
        stack: [
          { text: name, style: 'name', margin: [0, 2, 0, 1] },
          textOf(shown, {
            width,
            mono: typeof value !== 'string',
            size: typeof value === 'string' ? 8.5 : 7,
            margin: [6, 0, 0, 2],
          }),
          ...(missing > 0
            ? [
                {
                  text: `… ${missing.toLocaleString('en-US')} more characters are in the evidence JSON.`,
                  fontSize: 7.5,
                  color: colors.wait,
                  margin: [6, 0, 0, 2] as [number, number, number, number],
                },
              ]
            : []),
        ],
      }
    },
  }
}
