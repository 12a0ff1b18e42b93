import { type Outcome, type OutcomeDecision, outcomeType } from '@countersign/core/events'
import { acknowledgement, type RefusalCode } from './answer.ts'
import { createAuthenticate } from './authenticate.ts'
import type { Admission, Authentic } from './endpoint.ts'
import { createHandlerLoop } from './handler-loop.ts'
import { joinReceiver, type Receiver } from './join-receiver.ts'
import { type Message, readMessage } from './read-event.ts'
import { readSettings, type Settings } from './settings.ts'
import { count, mismatch, oneOf, optional, type Shape, text, time } from './shape.ts'

export interface OutcomeTurn {
  readonly outcome: Outcome
  /** The whole body as it came. */
  readonly message: Message
  /** From 1; more after a failure or a crash. */
  readonly attempt: number
  readonly receivedAt: number
}

export interface OutcomeHandlerOptions extends Settings {
  /** Keys of the Standard Webhooks profile, all valid at once; an outcome comes under no other signature. */
  readonly keys: readonly string[]
  /** Resumes or ends the paused work. Runs after the acknowledgement, at least once for each outcome. */
  readonly onOutcome: (turn: OutcomeTurn) => void | Promise<void>
}

/**
 * The receiver of the outcome callback, the one message on which paused work may go on. It may share
 * its inbox with an event receiver.
 */
export function createOutcomeCallbackHandler(options: OutcomeHandlerOptions): Receiver {
  const { keys, onOutcome } = options
  const { endpoint, handling, primitives } = readSettings(options)
  const loop = createHandlerLoop({ ...handling, topic: 'outcome' }, async ({ entry, attempt }) => {
    const read = readMessage(entry.body)
    const outcome = read.ok ? readOutcome(read.value) : read
    if (!read.ok || !outcome.ok)
      throw new Error('an outcome was stored that was readable then and is not any more')
    const { receivedAt } = entry
    return onOutcome({ outcome: outcome.value, message: read.value, attempt, receivedAt })
  })
  const authenticate = createAuthenticate({ keys, olderSecrets: [] }, primitives)
  return joinReceiver(endpoint, { authenticate, admit: admitOutcome }, loop)
}

/** The only ending that lets the action go ahead: expired, cancelled and rejected never do, nor does a mere response. */
export function isApproved(
  outcome: Outcome,
): outcome is Outcome & { readonly decision: Extract<OutcomeDecision, 'approved'> } {
  return outcome.decision === 'approved'
}

const shape: Shape = {
  schemaVersion: oneOf(1),
  id: text,
  time,
  tenantId: text,
  applicationId: text,
  sessionId: text,
  reviewCaseId: text,
  caseVersion: count,
  decision: oneOf('approved', 'rejected', 'response_submitted', 'cancelled', 'expired'),
  checkpointId: text,
  resumeToken: optional(text),
  presentationDigest: optional(text),
  caseUrl: text,
}

type OutcomeResult =
  | { readonly ok: true; readonly value: Outcome }
  | { readonly ok: false; readonly detail: string }

function readOutcome(message: Message): OutcomeResult {
  const wrong = mismatch(message, shape)
  if (wrong) return { ok: false, detail: wrong.detail }
  const { resumeToken = null, presentationDigest = null, response = null } = message
  const outcome = { ...message, resumeToken, presentationDigest, response }
  return { ok: true, value: outcome as unknown as Outcome }
}

/**
 * Unlike an event, an outcome that can't be understood is refused: the sender then gives up on it in its case, where
 * people see that the work still waits; acknowledged, it would be lost without a word.
 */
function admitOutcome(proof: Authentic, body: Uint8Array): Admission {
  const read = readMessage(body)
  if (!read.ok) return refuse('unreadable_body', read.detail)
  const { id, type } = read.value
  if (proof.family !== 'standard' || proof.id !== id)
    return refuse('id_mismatch', 'the webhook-id and the id of the body differ')
  if (type !== outcomeType)
    return refuse('wrong_endpoint', `${type} came to the outcome handler: it takes ${outcomeType}`)
  const outcome = readOutcome(read.value)
  if (!outcome.ok) return refuse('unreadable_body', outcome.detail)
  return {
    ok: true,
    // A case has one outcome, which waits for none of its events.
    entry: { id, topic: 'outcome', type, position: null, body },
    answer: acknowledgement,
    unreadable: null,
  }
}

function refuse(code: RefusalCode, detail: string): Admission {
  return { ok: false, code, detail }
}
