/** Where a value stands in a document. */
export type Path = readonly (string | number)[]

/** Objects that have no text in JavaScript: what makes a text of one throws. */
export const textless: readonly unknown[] = [
  { toString: null },
  { toString: 1, valueOf: null },
  { toJSON: 1, toString: null },
  { constructor: null, toString: null },
  [{ toString: null }],
  JSON.parse('{"__proto__":null,"toString":null}'),
]

/** Brackets within brackets, as a parser of JSON reads them however many there are. */
function nested(levels: number): unknown {
  return JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
}

/** Values that a parser of JSON yields and no service writes. */
export const oddValues: readonly unknown[] = [
  ...textless,
  ...[{}, [], nested(200), nested(100_000)],
  ...[Number.POSITIVE_INFINITY, -0.5, 2 ** 60, 'NaN', '\ud800', 'x\udfff', '', true, null],
]

/** The first of the places of each member, whatever its position in a list: objects, lists and scalars. */
export function membersOf(value: unknown): ReadonlyMap<string, Path> {
  const found = new Map<string, Path>()
  const walk = (at: unknown, path: Path) => {
    const name = path.filter((each) => typeof each === 'string').join('.')
    const place = `${name}${typeof path.at(-1) === 'number' ? '[]' : ''}`
    if (path.length > 0 && !found.has(place)) found.set(place, path)
    if (typeof at !== 'object' || at === null) return
    for (const [member, each] of Object.entries(at))
      walk(each, [...path, Array.isArray(at) ? Number(member) : member])
  }
  walk(value, [])
  return found
}

/** The document with another value at a place; shares the rest. */
export function withValue(document: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value
  const member = (document as Readonly<Record<string, unknown>>)[first]
  const changed = withValue(member, rest, value)
  if (Array.isArray(document)) return document.with(Number(first), changed)
  return { ...(document as object), [first]: changed }
}
