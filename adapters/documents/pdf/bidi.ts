import bidiFactory from 'bidi-js'

// Its types say `export default`, and it is a CommonJS module whose export is the factory itself.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()

/** Characters of scripts that are written from right to left. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Whether a line needs reordering to be read. */
export function hasRightToLeft(line: string): boolean {
  return rightToLeft.test(line)
}

/** A piece of a line in the order in which it is seen, from the left; it has no space within. */
export interface Piece {
  readonly text: string
  readonly rtl: boolean
}

/** A line that fits its width. */
export interface VisualLine {
  readonly pieces: readonly Piece[]
  readonly base: 'ltr' | 'rtl'
}

/**
 * Breaks a line with right-to-left text into lines of a width, each in visual order (UAX 9): pieces come in the order
 * in which they are seen, each in its own logical order.
 */
export function visualLines(
  line: string,
  width: number,
  measure: (text: string) => number,
): readonly VisualLine[] {
  const embedding = bidi.getEmbeddingLevels(line)
  const base = (embedding.paragraphs[0]?.level ?? 0) % 2 === 1 ? 'rtl' : 'ltr'
  return brokenAt(line, width, measure).map(([start, end]) => ({
    base,
    pieces: inVisualOrder(line, embedding.levels, start, end),
  }))
}

/** Where lines begin and end (exclusive), broken behind spaces, within a word only where it is too long. */
function brokenAt(
  line: string,
  width: number,
  measure: (text: string) => number,
): readonly (readonly [number, number])[] {
  const lines: [number, number][] = []
  let start = 0
  let end = 0
  let used = 0
  for (const word of line.match(/\S*\s*/g) ?? []) {
    for (const part of measure(word.trimEnd()) > width ? [...word] : [word]) {
      const needed = measure(part)
      if (used + measure(part.trimEnd()) > width && end > start) {
        lines.push([start, start + line.slice(start, end).trimEnd().length])
        start = end
        used = 0
      }
      end += part.length
      used += needed
    }
  }
  if (end > start) lines.push([start, end])
  return lines
}

function inVisualOrder(
  line: string,
  levels: Uint8Array,
  start: number,
  end: number,
): readonly Piece[] {
  const pieces = piecesOf(line, levels, start, end)
  const highest = Math.max(...pieces.map(({ level }) => level), 0)
  // UAX 9, L2: from the highest level down to the lowest odd one, reverse each run at that level or above.
  for (let level = highest; level >= 1; level--)
    for (let at = 0; at < pieces.length; at++) {
      let until = at
      while ((pieces[until]?.level ?? -1) >= level) until++
      if (until > at + 1) pieces.splice(at, until - at, ...pieces.slice(at, until).reverse())
      at = Math.max(at, until - 1)
    }
  return pieces.map(({ text, level }) => {
    const rtl = level % 2 === 1
    return { text: rtl ? mirrored(text) : text, rtl }
  })
}

/** Words and the spaces between them, each of one level. */
function piecesOf(line: string, levels: Uint8Array, start: number, end: number) {
  const pieces: { text: string; level: number }[] = []
  for (let at = start; at < end; ) {
    const level = levels[at] ?? 0
    const space = isSpace(line, at)
    let until = at + 1
    while (until < end && levels[until] === level && isSpace(line, until) === space) until++
    pieces.push({ text: line.slice(at, until), level })
    at = until
  }
  return pieces
}

function isSpace(line: string, at: number): boolean {
  return line.charCodeAt(at) === 32
}

/** Brackets of a right-to-left piece point the other way. */
function mirrored(text: string): string {
  return [...text].map((character) => bidi.getMirroredCharacter(character) ?? character).join('')
}
