import type { PrintedField } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { colors } from './parts.ts'
import { beginningOf, textOf } from './text.ts'

/** Characters of content that one document prints. */
const documentLimit = 400_000

const titles: Readonly<Record<PrintedField['name'], string>> = {
  input: 'Input',
  output: 'Output',
  attributes: 'Attributes',
  presentation: 'What the reviewer was shown',
}

/** Prints content until the document has enough of it, and says what it leaves out. */
export interface ContentPrinter {
  field(field: PrintedField, width: number): Content
  /** Fields that were cut. */
  cut(): number
}

export function printContent(): ContentPrinter {
  let left = documentLimit
  let cut = 0
  return {
    cut: () => cut,
    field({ name, text, isText, ...cutBefore }, width) {
      const shown = beginningOf(text, left)
      left -= shown.length
      const missing = cutBefore.missing + text.length - shown.length
      if (missing > 0) cut++
      return {
        stack: [
          { text: titles[name], style: 'name', margin: [0, 2, 0, 1] },
          textOf(shown, {
            width,
            mono: !isText,
            size: isText ? 8.5 : 7,
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
