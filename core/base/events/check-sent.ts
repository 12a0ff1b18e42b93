import { isEventType, shapeOf } from './catalogue.ts'
import { outcomeType } from './outcome.ts'
import { reasonGroups } from './reasons.ts'
import { sentOutcomeMembers } from './sent-outcome.ts'
import {
  type EventMembers,
  type EventShape,
  isList,
  isObject,
  membersOf,
  mismatch,
} from './shape.ts'

const reasons: ReadonlySet<unknown> = new Set(Object.values(reasonGroups).flat())

/**
 * What is wrong with the body of an event or an outcome callback that this service sends, null when nothing is.
 * Stricter than a reader of it: every member of the shape is there, none besides, and reason categories are of the list.
 */
export function faultOfSent(body: unknown): string | null {
  if (!isObject(body)) return 'expected an object'
  const { type } = body
  if (typeof type !== 'string' || (type !== outcomeType && !isEventType(type)))
    return 'type: not in the catalogue'
  const shape = isEventType(type) ? shapeOf(type) : sentOutcomeMembers
  return mismatch(body, shape)?.detail ?? inexact(body, shape, '')
}

function inexact(
  value: Readonly<Record<string, unknown>>,
  shape: EventMembers,
  path: string,
): string | null {
  const declared = new Map(membersOf(shape).map(([name, member]) => [name, member]))
  for (const name of Object.keys(value))
    if (!declared.has(name)) return `${path}${name}: no member of the catalogue`
  for (const [name, member] of declared) {
    const fault = inexactMember(value[name], member, `${path}${name}`)
    if (fault !== null) return fault
  }
  return null
}

function inexactMember(found: unknown, shape: EventShape, path: string): string | null {
  if (found === undefined) return `${path}: left out, expected null`
  if (shape === 'reason' && !reasons.has(found)) return `${path}: no reason category of the list`
  if (shape === 'time' && found !== null && !isInstant(found))
    return `${path}: expected milliseconds and Z`
  if (typeof shape === 'string' || isList(shape) || !isObject(found)) return null
  return inexact(found, shape, `${path}.`)
}

function isInstant(found: unknown): boolean {
  return typeof found === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(found)
}
