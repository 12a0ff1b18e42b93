import {
  type EventMembers,
  type EventOf,
  type EventType,
  isCount,
  isEventType,
  isObject,
  isText,
  membersOf,
  mismatch,
  type ReviewEventType,
  reasonGroups,
  shapeOf,
} from '@countersign/core/events'
import type { CasePosition } from '@countersign/core/ports'

/** Every review event, told apart by `type`. */
export type AnyReviewEvent = EventOf<ReviewEventType>

/** An event of a catalogue type whose body has the catalogue's shape. */
export type KnownEvent = EventOf<EventType>

/** An event with a type, version or shape that this version does not know; otherwise handled like any event. */
export interface UnknownEvent {
  readonly type: 'unknown'
  readonly id: string
  /** The `type` that the body names. */
  readonly originalType: string
  readonly why: 'type' | 'version' | 'shape'
  readonly detail: string
}

/** An event as it reaches a handler: of a known type, or any other. */
export type ReceivedEvent = KnownEvent | UnknownEvent

/** A signed body as JSON: at least an id and a type. */
export interface Message {
  readonly id: string
  readonly type: string
  readonly [member: string]: unknown
}

export type MessageResult =
  | { readonly ok: true; readonly value: Message }
  | { readonly ok: false; readonly problem: 'body' | 'id'; readonly detail: string }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses strictly: invalid UTF-8 and a byte order mark are errors, never replaced. */
export function readMessage(body: Uint8Array): MessageResult {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'not JSON' : 'not UTF-8'
    return unreadable('body', `the signed body is ${problem} (${body.length} bytes)`)
  }
  if (!isObject(value)) return unreadable('body', 'the signed body is JSON but not an object')
  if (!isText(value.id)) return unreadable('id', 'the signed body has no id')
  if (!isText(value.type)) return unreadable('body', 'the signed body has no type')
  return { ok: true, value: value as Message }
}

function unreadable(problem: 'body' | 'id', detail: string): MessageResult {
  return { ok: false, problem, detail }
}

/** The typed view of a message. */
export function readEvent(message: Message): ReceivedEvent {
  const { id, type } = message
  const unknown = (why: UnknownEvent['why'], detail: string): UnknownEvent => ({
    type: 'unknown',
    id,
    originalType: type,
    why,
    detail,
  })
  if (!isEventType(type)) return unknown('type', `this version of the kit knows no ${type}`)
  const shape = shapeOf(type)
  const wrong = mismatch(message, shape)
  if (wrong) {
    const version = wrong.member === 'schemaVersion' || wrong.member === 'apiVersion'
    return unknown(version ? 'version' : 'shape', wrong.detail)
  }
  return withDefaults(message, shape) as unknown as KnownEvent
}

/** Position in its case, also of unknown `review.*` types; null for messages without one. */
export function positionOf(message: Message): CasePosition | null {
  const { type, reviewCaseId, caseVersion, eventSequence } = message
  if (!type.startsWith('review.') || !isText(reviewCaseId)) return null
  if (!isCount(caseVersion) || !isCount(eventSequence)) return null
  return { reviewCaseId, caseVersion, eventSequence }
}

const reasons: ReadonlySet<unknown> = new Set(Object.values(reasonGroups).flat())

/** Absent members as null, and an unknown reason category as `other` (interface, Reason categories). */
function withDefaults(message: Message, shape: EventMembers): Message {
  const view: Record<string, unknown> = { ...message }
  for (const [name, kind] of membersOf(shape)) {
    view[name] ??= null
    if (kind === 'reason' && !reasons.has(view[name])) view[name] = 'other'
  }
  return view as Message
}
