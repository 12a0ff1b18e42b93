import type { Content } from 'pdfmake/interfaces.js'
import { hasRightToLeft, visualLines } from './bidi.ts'
import { shapedTowards, widthOf } from './fonts.ts'
import { linesOf, type Run, runsOf, withoutHidden } from './runs.ts'

/** How a text is set. */
export interface TextStyle {
  /** Points that a line may take, for text that must be reordered before it is broken. */
  readonly width: number
  readonly size?: number
  readonly bold?: boolean
  readonly color?: string
  readonly mono?: boolean
  readonly margin?: [number, number, number, number]
}

const defaultSize = 9
const hiddenColor = '#a14a00'

/** Any text as content: fonts by character, right-to-left lines in reading order, nothing interpreted. */
export function textOf(text: unknown, style: TextStyle): Content {
  const first = style.mono ? 'Mono' : 'Text'
  const size = style.size ?? defaultSize
  const measure = measureBy(first, size, style.bold ?? false)
  const lines = linesOf(String(text))
  const common = {
    fontSize: size,
    bold: style.bold ?? false,
    ...(style.color === undefined ? {} : { color: style.color }),
  }
  const margin = style.margin ?? [0, 0, 0, 0]
  const leftToRight = (some: readonly string[]) => {
    const broken = some.flatMap((line) => withoutLongWords(line, style.width, size, measure))
    const runs = broken.flatMap((line, at) => [
      ...(at === 0 ? [] : [{ text: '\n', font: 'Text' }]),
      ...runsOf(line, first).map(inlineOf),
    ])
    // A node whose text is an array never looks at a string as anything but text.
    return { text: runs, preserveLeadingSpaces: true }
  }
  if (!lines.some(hasRightToLeft)) return { ...leftToRight(lines), ...common, margin }
  const stack = lines.flatMap((line): Content[] =>
    hasRightToLeft(line)
      ? rightToLeft(withoutHidden(line), first, style.width, measure)
      : [leftToRight([line === '' ? ' ' : line])],
  )
  return { stack, ...common, margin }
}

/** The beginning of a text, cut between characters. */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

/** A text of at most so many characters, which says how many it leaves out. */
export function shortened(text: string, length: number): string {
  const begin = beginningOf(text, length)
  const left = text.length - begin.length
  return left === 0
    ? text
    : `${begin} … (${left.toLocaleString('en-US')} more characters are in the evidence JSON)`
}

/** Names of hidden characters stand out. */
function inlineOf({ text, family, hidden }: Run) {
  return { text, font: family, ...(hidden ? { color: hiddenColor } : {}) }
}

type Measure = (text: string) => number

function measureBy(first: 'Text' | 'Mono', size: number, bold: boolean): Measure {
  return (text) =>
    runsOf(text, first).reduce((sum, run) => sum + widthOf(run.text, run.family, bold, size), 0)
}

/** No glyph of these fonts is wider than this part of the size. */
const widest = 1.2

/** The line, with words that no line can hold cut into several lines: a setter breaks between words alone. */
export function withoutLongWords(
  line: string,
  width: number,
  size: number,
  measure: Measure,
): string[] {
  const longest = Math.floor(width / (size * widest))
  if (!line.split(' ').some((word) => word.length > longest)) return [line]
  const lines = ['']
  for (const word of line.split(/(?<= )/)) {
    const text = word.trimEnd()
    const cut =
      text.length > longest && measure(text) > width ? cutWord(text, width, measure) : [text]
    lines[lines.length - 1] += cut[0] ?? ''
    lines.push(...cut.slice(1))
    lines[lines.length - 1] += word.slice(text.length)
  }
  return lines
}

function cutWord(word: string, width: number, measure: Measure): readonly string[] {
  const parts: string[] = []
  let part = ''
  let used = 0
  for (const { segment } of segments.segment(word)) {
    const needed = measure(segment)
    if (used + needed > width && part !== '') {
      parts.push(part)
      part = ''
      used = 0
    }
    part += segment
    used += needed
  }
  return [...parts, part]
}

/** Characters as a reader counts them. */
const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The run in the order that its font's shaping turns into the wanted one: it goes by scripts and knows no neighbours. */
function towards(run: Run, rtl: boolean): Run {
  const shaped = shapedTowards(run.text, run.family)
  if ((shaped === 'rtl') === rtl) return run
  return {
    ...run,
    text: [...segments.segment(run.text)]
      .map(({ segment }) => segment)
      .reverse()
      .join(''),
  }
}

function rightToLeft(
  line: string,
  first: 'Text' | 'Mono',
  width: number,
  measure: Measure,
): Content[] {
  return visualLines(line, width, measure).map(({ pieces, base }) => ({
    text: pieces.flatMap(({ text, rtl }) => {
      const runs = runsOf(text, first).map((run) => ({
        ...inlineOf(towards(run, rtl)),
        noWrap: true,
      }))
      return rtl ? runs.reverse() : runs
    }),
    alignment: base === 'rtl' ? 'right' : 'left',
    preserveLeadingSpaces: true,
  }))
}
