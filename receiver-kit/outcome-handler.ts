import {
  mismatch,
  type Outcome,
  type OutcomeDecision,
  outcomeMembers,
  outcomeType,
  requireKnown,
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

/** Argument of `onOutcome`. */
export interface OutcomeTurn {
  readonly outcome: Outcome
  /** The whole body, unknown members included. */
  readonly message: Message
  /** From 1; higher after a failure or a crash. */
  readonly attempt: number
  readonly receivedAt: number
}

/** Argument of `onProblem`: a verified outcome that was refused; a person should find out why it came. */
export interface OutcomeProblem {
  /**
   * `foreign_application`, `foreign_tenant`: not for this endpoint. `outcome_conflict`: the id is stored with another
   * body, as after the service was restored from a backup; the first outcome may have been acted on.
   */
  readonly code: Extract<
    ReceiverRefusalCode,
    'foreign_application' | 'foreign_tenant' | 'outcome_conflict'
  >
  readonly outcome: Outcome
  readonly detail: string
}

/** Options of `createOutcomeCallbackHandler`. */
export interface OutcomeHandlerOptions extends Settings {
  /**
   * Applications whose paused work this handler resumes. Required: the signing key is the organization's, so outcomes
   * of all its applications verify here.
   */
  readonly applicationId: Served
  /** Organizations that this endpoint serves; default every one whose key is given. */
  readonly tenantId?: Served
  /** Keys of the Standard Webhooks profile, all valid at once; outcomes have no other signature. */
  readonly keys: readonly string[]
  /** Resumes or ends the paused work. Runs after the acknowledgement, at least once per outcome. */
  readonly onOutcome: (turn: OutcomeTurn) => void | Promise<void>
  /** Called for each refused outcome that verified; the observer gets `receiver.refused` too. */
  readonly onProblem?: (problem: OutcomeProblem) => void | Promise<void>
}

/** Names of the options of `createOutcomeCallbackHandler`. */
export const outcomeOptions: Readonly<Record<keyof OutcomeHandlerOptions, true>> = {
  inbox: true,
  keys: true,
  applicationId: true,
  tenantId: true,
  onOutcome: true,
  onProblem: true,
  clock: true,
  primitives: true,
  observer: true,
  ackDeadlineMs: true,
  maxBodyBytes: true,
  maxHeldBytes: true,
  maxStoring: true,
  concurrency: true,
  holdMs: true,
  pollMs: true,
  retryAfterMs: true,
}

/**
 * Creates a receiver of the outcome callback, the only message that resumes paused work. May share its inbox with an
 * event receiver. Throws a SigningKeyError, TypeError or RangeError for invalid or unknown options.
 *
 * @example
 * ```ts
 * import { createOutcomeCallbackHandler, isApproved, memoryInbox } from '@countersign/receiver-kit'
 *
 * const outcomes = createOutcomeCallbackHandler({
 *   keys: ['whpk_GX9rI+FshTLGq8g4+s1ep4m+DHayzgM0A5i6i02j3h8='],
 *   applicationId: 'app_01m3xq8v7c0h2k4n6p8r0t2w4y',
 *   inbox: memoryInbox(), // one that lasts outside of tests
 *   async onOutcome({ outcome }) {
 *     if (isApproved(outcome)) await pay()
 *   },
 * })
 * outcomes.start()
 * ```
 */
export function createOutcomeCallbackHandler(options: OutcomeHandlerOptions): Receiver {
  if ('reviewers' in options)
    throw new TypeError(
      'expected no reviewers, whose signatures createSignedOutcomeHandler of @countersign/receiver-kit/reviewers verifies',
    )
  requireKnown('options', options, outcomeOptions)
  return handleOutcomes(options, options)
}

type Hooks = 'onOutcome' | 'onProblem'

/**
 * As `createOutcomeCallbackHandler`, for one that looks at reviewers' signatures itself, and so has handlers of its own.
 * Options are read by name: a spread of them leaves out what a class has by a getter or inherits. And once: whoever fills
 * the same object anew for another application makes nothing of the one before run its handlers.
 */
export function handleOutcomes(
  options: Omit<OutcomeHandlerOptions, Hooks>,
  hooks: Pick<OutcomeHandlerOptions, Hooks>,
): Receiver {
  checkOptions(options, ['inbox', 'keys', 'onOutcome'])
  const { keys } = options
  const { endpoint, handling, primitives } = readSettings(options)
  const { observer } = endpoint
  const { onOutcome, onProblem } = hooks
  const serves = createScope(options)
  const tell = async (problem: OutcomeProblem) => {
    try {
      await onProblem?.call(hooks, problem)
    } catch (error) {
      observer.event('receiver.on_problem_failed', { code: problem.code, detail: String(error) })
    }
  }
  const loop = createHandlerLoop({ ...handling, topic: 'outcome' }, async ({ entry, attempt }) => {
    const { message, outcome } = readStored(entry.body)
    // Stored by another handler that shares the inbox; left for that handler.
    const foreign = serves(outcome)
    if (foreign) throw new Error(`${foreign.detail}: give each handler an inbox of its own`)
    return onOutcome.call(hooks, { outcome, message, attempt, receivedAt: entry.receivedAt })
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

/** Returns why an outcome is not served here, null when it is. */
function createScope({
  applicationId,
  tenantId,
}: Pick<OutcomeHandlerOptions, 'applicationId' | 'tenantId'>): (
  outcome: Outcome,
) => Foreign | null {
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

/** Whether the action may proceed: true for `approved` only, never for another decision. */
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
 * Unlike an event, an unreadable outcome is refused: the sender's case then shows the callback as failed.
 * Acknowledging it would lose it silently.
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
      // Outcomes are not ordered with the events of their case.
      entry: { id, topic: 'outcome', type, position: null, body },
      answer: acknowledgement,
      unreadable: null,
    },
  }
}

function refuse(code: ReceiverRefusalCode, detail: string): Admission & { readonly ok: false } {
  return { ok: false, code, detail }
}
