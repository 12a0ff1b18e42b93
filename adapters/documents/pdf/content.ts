import type { PrintedField } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { heightOf, keptHeight, titled } from './keep.ts'
import { colors } from './parts.ts'
import { linesOf } from './runs.ts'
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

/** Points of a text that moves to the next page as a whole, with its title. */
const shortText = 120

/**
 * What of a text stands with its title on one page, and the rest: all of a short one, else the lines up to the first
 * that says something. Null where these may be longer than a page.
 */
function beginning(text: string, width: number): readonly [string, string | null] | null {
  if (heightOf(text, width) <= shortText) return [text, null]
  const lines = linesOf(text)
  const until = lines.findIndex((line) => line.trim() !== '') + 1
  const first = lines.slice(0, until).join('\n')
  if (until === 0 || heightOf(first, width) > keptHeight) return null
  return [first, until === lines.length ? null : lines.slice(until).join('\n')]
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
      const title: Content = { text: titles[name], style: 'name', margin: [0, 2, 0, 1] }
      const style = { width, mono: !isText, size: isText ? 8.5 : 7 }
      const [begin, rest] = beginning(shown, width) ?? [null, shown]
      return {
        stack: [
          begin === null
            ? title
            : titled(title, textOf(begin, { ...style, margin: [6, 0, 0, rest === null ? 2 : 0] })),
          ...(rest === null ? [] : [textOf(rest, { ...style, margin: [6, 0, 0, 2] })]),
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
