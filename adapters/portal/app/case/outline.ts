/** A value as it is drawn: a line for what is simple, and a line before what its members need. */
export interface Outline {
  /** Of a member, or the place in a list; null: it is nobody's member. */
  readonly name: string | number | null
  readonly value: unknown
  /** Lines that the whole of it needs. */
  readonly lines: number
  /** Null: it is drawn in place. */
  readonly members: readonly Outline[] | null
}

/** Values of more lines fold. */
export const foldedLines = 40
/** Values of more lines are drawn as one text of JSON, which a browser can take. */
export const mostRows = 2_000
/** Characters of a line, by which the lines of long texts are estimated. */
const lineLength = 80

export function textLines(text: string): number {
  let lines = 0
  let from = 0
  for (;;) {
    const end = text.indexOf('\n', from)
    const length = (end < 0 ? text.length : end) - from
    lines += Math.max(1, Math.ceil(length / lineLength))
    if (end < 0) return lines
    from = end + 1
  }
}

/** A value with the lines that each part of it needs. */
export function outlineOf(value: unknown, name: Outline['name'] = null): Outline {
  if (typeof value !== 'object' || value === null)
    return {
      name,
      value,
      members: null,
      lines: typeof value === 'string' ? textLines(value) : 1,
    }
  const members = Array.isArray(value)
    ? value.map((item, place) => outlineOf(item, place))
    : Object.entries(value).map(([key, member]) => outlineOf(member, key))
  const inner = members.reduce((sum, { lines }) => sum + lines, 0)
  const own = name === null && members.length > 0 ? 0 : 1
  return { name, value, members: members.length > 0 ? members : null, lines: own + inner }
}

/** The first lines of an outline: whole members while they fit, and the beginning of the one that does not. */
export function firstLines(outline: Outline, most: number): Outline {
  if (outline.lines <= most) return outline
  if (outline.members === null) {
    const { value } = outline
    return typeof value === 'string' ? { ...outline, value: beginning(value, most) } : outline
  }
  const members: Outline[] = []
  let left = most - (outline.name === null ? 0 : 1)
  for (const member of outline.members) {
    if (left <= 0) break
    members.push(firstLines(member, left))
    left -= member.lines
  }
  return { ...outline, members }
}

/** The first lines of a text, cut between characters. */
export function beginning(text: string, most: number): string {
  let left = most
  let from = 0
  while (left > 0) {
    const end = text.indexOf('\n', from)
    const length = (end < 0 ? text.length : end) - from
    const lines = Math.max(1, Math.ceil(length / lineLength))
    if (lines > left) return text.slice(0, from + left * lineLength).replace(/[\uD800-\uDBFF]$/, '')
    left -= lines
    if (end < 0) return text
    from = end + 1
  }
  return text.slice(0, Math.max(0, from - 1))
}
