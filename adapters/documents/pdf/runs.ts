import { covers, type Family, familyFor } from './fonts.ts'

/** Text of one font; `hidden`: the name of a character that has no visible form. */
export interface Run {
  readonly text: string
  readonly family: Family
  readonly hidden: boolean
}

const newline = /\r\n?|[\n\u0085\u2028\u2029]/g
/** Variation selectors for text or emoji presentation say nothing that a reader misses. */
const presentation = /[\ufe0e\ufe0f]/g
const joiner = /[\u200c\u200d]/
const hiddenCharacter = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u
const hiddenCharacters = new RegExp(hiddenCharacter.source, 'gu')
const mark = /\p{M}/u
const neutral = /[\p{P}\p{S}\p{Zs}]/u

/** A text's lines, with tabs as spaces; characters that print nothing are left for `runsOf` to name. */
export function linesOf(text: string): readonly string[] {
  return text
    .normalize('NFC')
    .replaceAll(newline, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(presentation, '')
    .split('\n')
}

/** The line with hidden characters named, so that directional marks among them do not reorder what is shown. */
export function withoutHidden(line: string): string {
  return line.replaceAll(hiddenCharacters, (character) =>
    joiner.test(character) ? character : nameOf(character.codePointAt(0) ?? 0),
  )
}

/** How a character that prints nothing is shown. */
function nameOf(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`
}

/**
 * A line as runs of fonts that have its characters. What no font has, and what prints nothing (controls, directional
 * marks, tags, halves of surrogate pairs), becomes its name as `\u{…}`: nothing is lost and nothing is hidden.
 */
export function runsOf(line: string, first: 'Text' | 'Mono' = 'Text'): readonly Run[] {
  const runs: { text: string; family: Family; hidden: boolean }[] = []
  for (const character of line) {
    const last = runs.at(-1)
    const codePoint = character.codePointAt(0) ?? 0
    const family = familyOf(character, codePoint, first, last)
    const hidden = family === null
    const text = hidden ? nameOf(codePoint) : character
    const use = family ?? 'Mono'
    if (last?.family === use && last.hidden === hidden) last.text += text
    else runs.push({ text, family: use, hidden })
  }
  return runs
}

function familyOf(
  character: string,
  codePoint: number,
  first: 'Text' | 'Mono',
  last: Run | undefined,
): Family | null {
  // Letters of some scripts change shape by joiners: there they belong to the text.
  if (joiner.test(character))
    return last && !last.hidden && covers(last.family, codePoint) ? last.family : null
  if (hiddenCharacter.test(character)) return null
  // Marks and punctuation stay with the font before them, so that they are placed and spaced by it.
  const sticks = mark.test(character) || (neutral.test(character) && last?.family === 'Wide')
  if (sticks && last && !last.hidden && covers(last.family, codePoint)) return last.family
  return familyFor(codePoint, first)
}
