import {
  mismatch,
  type Outcome,
  type OutcomeDecision,
  outcomeMembers,
  outcomeType,
} from '@countersign/core/events'
import { checkOptions } from './check-options.ts'
import { type Message, readMessage } from './events/read-event.ts'
import { createHandlerLoop } from './handling/handler-loop.ts'
import { joinReceiver, type Receiver } from './join-receiver.ts'
import { acknowledgement, type ReceiverRefusalCode } from './receiving/answer.ts'
import { createAuthenticator } from './receiving/authenticate.ts'
import type { Admission, Authentic } from './receiving/endpoint.ts'
import { type IdTest, type Served, servedBy } from './receiving/served.ts'
import { readSettings, type Settings } from './settings.ts'

/** An outcome that is being handled. */
export interface OutcomeTurn {
  readonly outcome: Outcome
  /** The whole body as it came. */
  readonly message: Message
  /** From 1; more after a failure or a crash. */
  readonly attempt: number
  readonly receivedAt: number
}

/** A genuine outcome that was refused and is not handled: somebody has to look into why it came. */
export interface OutcomeProblem {
  /**
   * `foreign_application`, `foreign_tenant`: it is not for this endpoint. `outcome_conflict`: its id is stored with
   * other bytes, as after the service was restored from an older backup; the first outcome may have been acted on.
   */
  readonly code: Extract<
    ReceiverRefusalCode,
    'foreign_application' | 'foreign_tenant' | 'outcome_conflict'
  >
  readonly outcome: Outcome
  readonly detail: string
}

/** Options of `createOutcomeHandler`. */
export interface OutcomeHandlerOptions extends Settings {
  /**
   * The application, or those, whose paused work this handler resumes. Required: a signature is the organization's,
   * so an outcome of any of its applications verifies here.
   */
  readonly applicationId: Served
  /** The organization, or those, that this endpoint serves; any whose key is given unless this is. */
  readonly tenantId?: Served
  /** Keys of the Standard Webhooks profile, all valid at once; an outcome comes under no other signature. */
  readonly keys: readonly string[]
  /** Resumes or ends the paused work. Runs after the acknowledgement, at least once for each outcome. */
  readonly onOutcome: (turn: OutcomeTurn) => void | Promise<void>
  /** Is told each refusal of a genuine outcome; the observer hears it too, as `receiver.refused`. */
  readonly onProblem?: (problem: OutcomeProblem) => void | Promise<void>
}

/**
 * The receiver of the outcome callback, the one message on which paused work may go on. It may share
 * its inbox with an event receiver.
 */
export function createOutcomeCallbackHandler(options: OutcomeHandlerOptions): Receiver {
  checkOptions(options, ['inbox', 'keys', 'onOutcome'])
  const { keys, onOutcome } = options
  const { endpoint, handling, primitives } = readSettings(options)
  const { observer } = endpoint
  const serves = createScope(options)
  const tell = async (problem: OutcomeProblem) => {
    try {
      await options.onProblem?.(problem)
    } catch (error) {
      observer.event('receiver.on_problem_failed', { code: problem.code, detail: String(error) })
    }
  }
  const loop = createHandlerLoop({ ...handling, topic: 'outcome' }, async ({ entry, attempt }) => {
    const { message, outcome } = readStored(entry.body)
    // What another handler stored in an inbox that both share: it stays for the one that serves it.
    const foreign = serves(outcome)
    if (foreign) throw new Error(`${foreign.detail}: give each handler an inbox of its own`)
    return onOutcome({ outcome, message, attempt, receivedAt: entry.receivedAt })
  })
  const authenticator = createAuthenticator({ keys, legacySecrets: [] }, primitives)
  return joinReceiver(
    endpoint,
    {
      authenticator,
      admit(proof, body) {
        const read = admitOutcome(proof, body)
        if (!read.ok) return read
        const foreign = serves(read.outcome)
        if (!foreign) return read.admitted
        void tell({ ...foreign, outcome: read.outcome })
        return { ok: false, ...foreign }
      },
      onBodyDiffers({ id, body }) {
        const code = 'outcome_conflict'
        const detail = `${id} is stored with another body, which stays; this outcome was not handled`
        void tell({ code, outcome: readStored(body).outcome, detail })
        return { code, detail }
      },
    },
    loop,
  )
}

type Foreign = Pick<OutcomeProblem, 'code' | 'detail'>

/** Why an outcome is not this handler's; null when it is. */
function createScope({
  applicationId,
  tenantId,
}: OutcomeHandlerOptions): (outcome: Outcome) => Foreign | null {
  const ownApplication = servedBy('applicationId', applicationId)
  const ownTenant: IdTest = tenantId === undefined ? () => true : servedBy('tenantId', tenantId)
  return (outcome) => {
    const foreign = (code: Foreign['code'], id: string): Foreign => ({
      code,
      detail: `an outcome for ${id} came to a handler that does not serve it`,
    })
    if (!ownTenant(outcome.tenantId)) return foreign('foreign_tenant', outcome.tenantId)
    if (!ownApplication(outcome.applicationId))
      return foreign('foreign_application', outcome.applicationId)
    return null
  }
}

/** The only ending that lets the action go ahead: expired, cancelled and rejected never do, nor does a mere response. */
export function isApproved(
  outcome: Outcome,
): outcome is Outcome & { readonly decision: Extract<OutcomeDecision, 'approved'> } {
  return outcome.decision === 'approved'
}

type OutcomeResult =
  | { readonly ok: true; readonly value: Outcome }
  | { readonly ok: false; readonly detail: string }

function readOutcome(message: Message): OutcomeResult {
  const wrong = mismatch(message, outcomeMembers)
  if (wrong) return { ok: false, detail: wrong.detail }
  const { resumeToken = null, presentationDigest = null, response = null } = message
  const outcome = { ...message, resumeToken, presentationDigest, response }
  return { ok: true, value: outcome as unknown as Outcome }
}

function readStored(body: Uint8Array): { readonly message: Message; readonly outcome: Outcome } {
  const read = readMessage(body)
  const outcome = read.ok ? readOutcome(read.value) : read
  if (!read.ok || !outcome.ok)
    throw new Error('an outcome was stored that was readable then and is not any more')
  return { message: read.value, outcome: outcome.value }
}

type Read =
  | { readonly ok: true; readonly outcome: Outcome; readonly admitted: Admission }
  | (Admission & { readonly ok: false })

/**
 * Unlike an event, an outcome that can't be understood is refused: the sender then gives up on it in its case, where
 * people see that the work still waits; acknowledged, it would be lost without a word.
 */
function admitOutcome(proof: Authentic, body: Uint8Array): Read {
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
    outcome: outcome.value,
    admitted: {
      ok: true,
      // A case has one outcome, which waits for none of its events.
      entry: { id, topic: 'outcome', type, position: null, body },
      answer: acknowledgement,
      unreadable: null,
    },
  }
}

function refuse(code: ReceiverRefusalCode, detail: string): Admission & { readonly ok: false } {
  return { ok: false, code, detail }
}
