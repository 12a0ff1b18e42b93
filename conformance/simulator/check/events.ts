import { collections } from '@countersign/core'
import { faultOfSent } from '@countersign/core/events'
import {
  type Delivery,
  deliveries,
  type Message,
  messages,
  type ReviewCase,
  reviewCases,
  type Webhook,
  webhooks,
} from '@countersign/core/internal'
import { canary } from '../play/stage.ts'
import { type Committed, keyText, of, type Transition, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { newSteps } from './cases.ts'
import { outcomeBytes, textOf } from './context.ts'
import type { MissedEvent } from './missed-windows.ts'
import { rows, terminal } from './steps.ts'

/** The public events of a commit, as the case rows tell them. */
interface Told {
  readonly type: string
  readonly review: ReviewCase
  readonly caseVersion: number
  readonly eventSequence: number
  readonly at: number
}

const applicationsNamed = collections.find(({ name }) => name === 'applications')

export function selects(webhook: Webhook, type: string): boolean {
  return webhook.eventTypes.some((selected) => selected === '*' || selected === type)
}

/** A change, its events and what they are owed stand in one commit, or none of them does. */
export function checkEvents(
  world: World,
  truth: Truth,
  committed: Committed,
): { readonly missed: readonly MissedEvent[] } {
  const { transitions } = committed
  const made = of(messages, transitions).filter(({ before, after }) => !before && after)
  const changed = of(reviewCases, transitions)
  const told: readonly Told[] = changed.flatMap((change) =>
    newSteps(change).flatMap(({ step, caseVersion, eventSequence, at }) => {
      const type = rows[step]?.event ?? null
      const review = change.after?.row
      return type && review ? [{ type, review, caseVersion, eventSequence, at }] : []
    }),
  )
  const bodies = made.flatMap(({ after }) =>
    after ? [parsed(world, truth, after.row, transitions)] : [],
  )
  for (const body of bodies) {
    if (!body.type.startsWith('review.case') && !body.type.startsWith('review.cont')) continue
    checkBody(world, body, told)
  }
  const created = of(deliveries, transitions).filter(({ before, after }) => !before && after)
  const missed = told.flatMap((event) => {
    const body = bodies.find((one) => tells(one, event))
    return owedTo(
      world,
      truth,
      event,
      body?.id ?? null,
      created.map(({ after }) => (after as { row: Delivery }).row),
    )
  })
  for (const { before, after } of changed)
    if (before?.row.state === 'open' && after && terminal.includes(after.row.state))
      checkOutcome(
        world,
        truth,
        after.row,
        bodies,
        created.map(({ key }) => key),
      )
  return { missed }
}

/** Takes any bytes; the canary is ASCII. */
const bytewise = new TextDecoder('latin1')

interface Body {
  readonly id: string
  readonly type: string
  readonly value: Readonly<Record<string, unknown>>
}

function parsed(
  world: World,
  truth: Truth,
  message: Message,
  transitions: readonly Transition[],
): Body {
  const outcome = message.type === 'review.outcome'
  // An outcome holds private texts, so it is stored sealed.
  if (bytewise.decode(message.body).toUpperCase().includes(canary))
    world.broken('no private text', `${message.type} ${message.messageId} carries a private text`)
  const text = textOf(outcome ? outcomeBytes(truth, message, transitions) : message.body)
  const value = JSON.parse(text) as Readonly<Record<string, unknown>>
  if (value.id !== message.messageId)
    world.broken('same id, same bytes', `${message.messageId} says that it is ${String(value.id)}`)
  const fault = faultOfSent(value)
  if (fault !== null)
    world.broken('bodies fit the catalogue', `${message.type} ${message.messageId}: ${fault}`)
  return { id: message.messageId, type: message.type, value }
}

function tells({ type, value }: Body, event: Told): boolean {
  return (
    type === event.type &&
    value.reviewCaseId === event.review.reviewCaseId &&
    value.caseVersion === event.caseVersion &&
    value.eventSequence === event.eventSequence
  )
}

function checkBody(world: World, body: Body, told: readonly Told[]): void {
  const event = told.find((one) => tells(body, one))
  if (!event) {
    world.broken(
      'a change and its events',
      `${body.type} ${body.id} tells of no step of its commit`,
    )
    return
  }
  const { review } = event
  const decision = body.value.decision as string | null
  const step = Object.values(rows).find((row) => row.event === body.type)
  if (!step?.decisions.includes(decision))
    world.broken(
      'decision fits the event',
      `${body.type} of ${review.reviewCaseId} says ${decision}`,
    )
  if (review.state === 'expired' && decision === 'approved')
    world.broken('expired never approves', `${body.type} of ${review.reviewCaseId} says approved`)
  const expected = { time: new Date(event.at).toISOString(), tenantId: review.tenantId }
  for (const [name, value] of Object.entries(expected))
    if (body.value[name] !== value)
      world.broken(
        'a change and its events',
        `${body.type}: ${name} is ${String(body.value[name])}, expected ${value}`,
      )
}

/** Whom an event is owed to, by the webhooks as they were; those that were off miss it. */
function owedTo(
  world: World,
  truth: Truth,
  event: Told,
  messageId: string | null,
  created: readonly Delivery[],
): readonly MissedEvent[] {
  const { review, type, at } = event
  const what = `${type} ${event.caseVersion}.${event.eventSequence} of ${review.reviewCaseId}`
  const missed: MissedEvent[] = []
  for (const { row } of truth.rows(webhooks).values()) {
    if (row.tenantId !== review.tenantId) continue
    const { webhookId } = row
    const owed = created.some((one) => one.endpointId === webhookId && one.messageId === messageId)
    const wanted = row.status === 'receiving' && selects(row, type)
    if (wanted && !owed) world.broken('every event is owed', `${what} is not owed to ${webhookId}`)
    if (owed && row.status !== 'receiving')
      world.broken('off is silent', `${what} is owed to ${webhookId}, which is off`)
    if (owed && !selects(row, type))
      world.broken(
        'every event is owed',
        `${what} is owed to ${webhookId}, which did not select it`,
      )
    if (row.status !== 'receiving' && selects(row, type)) missed.push({ webhookId, at, what })
  }
  return missed
}

function checkOutcome(
  world: World,
  truth: Truth,
  review: ReviewCase,
  bodies: readonly Body[],
  created: readonly string[],
): void {
  const { reviewCaseId, tenantId, applicationId } = review
  const key = keyText([tenantId, applicationId])
  const application = applicationsNamed && truth.rows(applicationsNamed).get(key)?.row
  const callback = application ? Reflect.get(application, 'outcomeCallback') : null
  const wanted = Boolean(callback && Reflect.get(callback as object, 'enabled'))
  const body = bodies.find(
    ({ type, value }) => type === 'review.outcome' && value.reviewCaseId === reviewCaseId,
  )
  const owed = body !== undefined && created.includes(keyText([applicationId, body.id]))
  if (owed !== wanted)
    world.broken(
      'every outcome is owed',
      `${reviewCaseId}: callback wanted ${wanted}, owed ${owed}`,
    )
  if (body && body.value.decision !== review.decision)
    world.broken('expired never approves', `the outcome of ${reviewCaseId} is not its decision`)
}
