import {
  catalogue,
  type EventType,
  isEventType,
  type LegacyEvent,
  type PlatformEvent,
  type ReviewEvent,
  type ReviewEventType,
  reasonGroups,
  type SubscriptionEvent,
} from '@countersign/core/events'
import type { CasePosition } from '@countersign/core/ports'
import { shapeOf } from './event-shapes.ts'
import { count, isObject, mismatch, type Shape, text } from './shape.ts'

type DecidedEvent = ReviewEvent<'review.case.decided'> & {
  readonly decision: 'approved' | 'rejected' | 'response_submitted'
}
/** Every review event, told apart by `type`. */
export type AnyReviewEvent = {
  [T in ReviewEventType]: T extends 'review.case.decided' ? DecidedEvent : ReviewEvent<T>
}[ReviewEventType]

/** An event of the catalogue that has the shape which the catalogue promises. */
export type KnownEvent = AnyReviewEvent | SubscriptionEvent | LegacyEvent | PlatformEvent

/** An event that this version of the kit has no type for; it is stored, folded and handed over like any other. */
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

/** Decodes strictly: a byte that is not UTF-8, or a byte order mark, is an error and never replaced. */
export function readMessage(body: Uint8Array): MessageResult {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'not JSON' : 'not UTF-8'
    return unreadable('body', `the signed body is ${problem} (${body.length} bytes)`)
  }
  if (!isObject(value)) return unreadable('body', 'the signed body is JSON but not an object')
  if (!text.holds(value.id)) return unreadable('id', 'the signed body has no id')
  if (!text.holds(value.type)) return unreadable('body', 'the signed body has no type')
  return { ok: true, value: value as Message }
}

function unreadable(problem: 'body' | 'id', detail: string): MessageResult {
  return { ok: false, problem, detail }
}

/** The typed view of a message; what the catalogue does not promise stays in the message. */
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
  const wrong = mismatch(message, shapeFor(type))
  if (wrong) {
    const version = wrong.member === 'schemaVersion' || wrong.member === 'apiVersion'
    return unknown(version ? 'version' : 'shape', wrong.detail)
  }
  return withDefaults(message, type) as unknown as KnownEvent
}

/** The place in its case of anything that names one, a type of the future included; else null. */
export function positionOf(message: Message): CasePosition | null {
  const { type, reviewCaseId, caseVersion, eventSequence } = message
  if (!type.startsWith('review.') || typeof reviewCaseId !== 'string' || reviewCaseId === '')
    return null
  if (!count.holds(caseVersion) || !count.holds(eventSequence)) return null
  return {
    reviewCaseId,
    caseVersion: caseVersion as number,
    eventSequence: eventSequence as number,
  }
}

const shapes = new Map<EventType, Shape>()

function shapeFor(type: EventType): Shape {
  const known = shapes.get(type)
  if (known) return known
  const shape = shapeOf(type, catalogue[type].envelope)
  shapes.set(type, shape)
  return shape
}

const reasons: ReadonlySet<unknown> = new Set(Object.values(reasonGroups).flat())

/** Members of `subscription.*` events, which a sender may leave out where they don't apply. */
const noDetail = {
  challenge: null,
  reason: null,
  previousSecretValidUntil: null,
  missedFrom: null,
  missedUntil: null,
} as const

function withDefaults(message: Message, type: EventType): Message {
  const { envelope } = catalogue[type]
  if (envelope === 'review')
    return {
      ...message,
      decision: message.decision ?? null,
      presentationDigest: message.presentationDigest ?? null,
      // Contract, reason categories: a value not recognized is treated as `other`.
      reasonCategory: reasons.has(message.reasonCategory) ? message.reasonCategory : 'other',
    }
  if (envelope === 'subscription') return { ...noDetail, ...message }
  if (envelope === 'legacy') return { ...message, applicationId: message.applicationId ?? null }
  if (envelope === 'platform') return { ...message, application: message.application ?? null }
  return message
}
