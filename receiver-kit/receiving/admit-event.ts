import { catalogue, isEventType, outcomeType } from '@countersign/core/events'
import { type Message, positionOf, readMessage } from '../events/read-event.ts'
import {
  acknowledgement,
  challengeAnswer,
  type ReceiverAnswer,
  type ReceiverRefusalCode,
} from './answer.ts'
import type { Admission, Authentic } from './endpoint.ts'

/** What the event receiver does with authentic bytes. */
export function admitEvent(proof: Authentic, body: Uint8Array): Admission {
  const read = readMessage(body)
  if (!read.ok && read.problem === 'id') return refuse('id_mismatch', read.detail)
  if (!read.ok) return unreadable(proof, body, read.detail)
  const message = read.value
  const { id, type } = message
  if (proof.family === 'standard' && proof.id !== id)
    return refuse('id_mismatch', `webhook-id is ${proof.id}, the id of the body another`)
  if (proof.family === 'legacy' && isStandardType(type))
    return refuse(
      'weaker_signature',
      `${type} must be signed in the Standard Webhooks profile, and came with X-Service-Signature`,
    )
  // Acknowledged here it would be lost for the work that waits for it; refused, the sender's case shows the failure.
  if (type === outcomeType)
    return refuse(
      'wrong_endpoint',
      'an outcome callback came to the event receiver: point it at the outcome handler',
    )
  return {
    ok: true,
    entry: { id, topic: 'event', type, position: positionOf(message), body },
    answer: answerTo(message),
    unreadable: null,
  }
}

/**
 * Signed bytes that are no event never get better by another try, and three days of refusals would turn the
 * subscription off: they are kept under their signed id, acknowledged and reported. The legacy family signs no id to
 * keep them under; there a refusal ends after four tries and turns nothing off.
 */
function unreadable(proof: Authentic, body: Uint8Array, detail: string): Admission {
  if (proof.family === 'legacy') return refuse('unreadable_body', detail)
  return {
    ok: true,
    entry: { id: proof.id, topic: 'event', type: null, position: null, body },
    answer: acknowledgement,
    unreadable: detail,
  }
}

/** By name, so that a standard type which this version does not know yet is not let in under the weaker signature. */
function isStandardType(type: string): boolean {
  if (isEventType(type)) return catalogue[type].family === 'standard'
  return type.startsWith('review.') || type.startsWith('subscription.')
}

function answerTo(message: Message): ReceiverAnswer {
  const { type, challenge } = message
  if (type === 'subscription.verification_requested' && typeof challenge === 'string')
    return challengeAnswer(challenge)
  return acknowledgement
}

function refuse(code: ReceiverRefusalCode, detail: string): Admission {
  return { ok: false, code, detail }
}
