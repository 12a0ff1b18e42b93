import { askedMember } from '../machine/adoption.ts'
import type { Presentation } from '../shapes.ts'

/** Characters of a title at most; a longer one ends in an ellipsis. */
export const titleLength = 200

/**
 * What a case is about, in the application's own words: `title`, `summary`, `action` or `action.tool` of what was asked,
 * the first that is text. Null where none is.
 */
export function titleOf(presentation: Presentation | null): string | null {
  const { title, summary, action } = askedOf(presentation)
  return textOf([title, summary, action, membersOf(action)?.tool])
}

/** The tool that the application wants to call, `action.tool` of what was asked; null where that is no text. */
export function toolOf(presentation: Presentation | null): string | null {
  return textOf([membersOf(askedOf(presentation).action)?.tool])
}

const askedOf = (presentation: Presentation | null) =>
  membersOf(presentation?.[askedMember]) ?? presentation ?? {}

/** The first of these that is text. */
function textOf(words: readonly unknown[]): string | null {
  const found = words.find((each) => typeof each === 'string' && each.trim() !== '')
  return found === undefined ? null : shortened((found as string).trim())
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null
}

function shortened(text: string): string {
  // A character is two UTF-16 units at most.
  const start = [...text.slice(0, 2 * titleLength + 1)]
  return start.length <= titleLength ? text : `${start.slice(0, titleLength - 1).join('')}…`
}
