import type { SeededRandom } from '@countersign/core/testing'

type Json = Record<string, unknown>

/** Where a value stands in a document. */
type Path = readonly (string | number)[]

/** All scalars of a JSON document. */
export function scalarsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, member]) =>
    scalarsOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

/** A copy of the document with one scalar changed to another value. */
export function tampered<D>(document: D, at: Path, random: SeededRandom): D {
  const copy = structuredClone(document) as unknown
  let holder = copy as Json
  for (const name of at.slice(0, -1)) holder = holder[name] as Json
  const last = at.at(-1) ?? ''
  holder[last] = other(holder[last], random)
  return copy as D
}

function other(value: unknown, random: SeededRandom): unknown {
  if (typeof value === 'number') return value + 1 + random.below(9)
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string' || value === '') return 'added'
  const place = random.below(value.length)
  const code = value.charCodeAt(place)
  return `${value.slice(0, place)}${String.fromCharCode(code ^ 1)}${value.slice(place + 1)}`
}
