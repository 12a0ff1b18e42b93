import { ShapeError } from './faults.ts'

// Members of a message in JSON. One that is absent or null has its default, as in all of protobuf's JSON.

/** Whether a value is a message. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null by default. */
export function memberAt(owner: object, name: string): unknown {
  return (owner as Record<string, unknown>)[name] ?? null
}

/** Empty by default. */
export function listAt(owner: object, name: string): readonly unknown[] {
  const value = memberAt(owner, name)
  if (value === null) return []
  if (Array.isArray(value)) return value
  throw unlike(name, 'a list', value)
}

/** Empty by default. */
export function textAt(owner: object, name: string): string {
  const value = memberAt(owner, name)
  if (value === null) return ''
  if (typeof value === 'string') return value
  throw unlike(name, 'text', value)
}

/** Null by default. */
export function messageAt(owner: object, name: string): object | null {
  const value = memberAt(owner, name)
  if (value === null || isObject(value)) return value
  throw unlike(name, 'an object', value)
}

/** The number of an enum, 0 by default: OTLP takes no names. */
export function enumAt(owner: object, name: string): number {
  const value = memberAt(owner, name)
  if (value === null) return 0
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw unlike(name, 'the number of an enum', value)
}

/** A uint32, 0 by default. */
export function countAt(owner: object, name: string): number {
  const value = memberAt(owner, name)
  if (value === null) return 0
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw unlike(name, 'a count', value)
}

/** The items of a list; throws where one is no message. */
export function messagesAt(owner: object, name: string): readonly object[] {
  const items = listAt(owner, name)
  const other = items.findIndex((item) => !isObject(item))
  if (other !== -1) throw unlike(`${name}/${other}`, 'an object', items[other])
  return items as readonly object[]
}

function unlike(place: string, expected: string, came: unknown): ShapeError {
  const kind = Array.isArray(came) ? 'a list' : came === null ? 'null' : `a ${typeof came}`
  return new ShapeError(`/${place}`, `expected ${expected}, got ${kind}`)
}
