import { catalogue, isEventType, outcomeType } from '@countersign/core/events'
import { type Message, positionOf, readMessage } from '../events/read-event.ts'
import {
  acknowledgement,
  challengeAnswer,
  type ReceiverAnswer,
  type ReceiverRefusalCode,
} from './answer.ts'
import type { Admission, Authentic } from './endpoint.ts'

/** Decides whether a verified message is stored, and how it is answered. */
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
  // Acknowledging it here would lose the outcome; a refusal shows up in the sender's case.
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
 * Verified bytes that are no event: a retry would bring the same bytes, and three days of refusals would turn the
 * subscription off, so they are stored under the signed id, acknowledged and reported. The legacy family signs no id;
 * there they are refused, which ends after four attempts and turns nothing off.
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

/** By prefix: also rejects future standard types under the weaker legacy signature. */
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
