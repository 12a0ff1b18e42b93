import {
  type AttemptRecord,
  attempts,
  type Delivery,
  deliveries,
  type Message,
  messages,
  owedOutcomes,
  type PolicyName,
  reviewCases,
  webhooks,
} from '@countersign/core/internal'
import { retrySchedules } from '../../retry-schedules.ts'
import type { Post } from '../network.ts'
import { type Committed, keyText, of, type Transition, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { outcomeBytes, sameBytes } from './context.ts'
import { isPurging } from './purging.ts'

const second = 1_000
const minute = 60 * second

/** Interrupted attempts of a round that are followed by another at once (interface, Retry schedule). */
const interruptionsAtOnce = 20

/** POSTs of one round: those that were settled, and those that a crash cut. */
export function mostAttempts(policy: PolicyName): number {
  const { most, last, waits } = retrySchedules[policy]
  const lasts = last ?? waits.reduce((sum: number, wait) => sum + wait, 0)
  return most + interruptionsAtOnce + 1 + Math.ceil(lasts / (60 * minute))
}

/** Attempts of the round at work that spent the schedule. */
export function stepsOf({ attempts, interrupted, broughtForward, logged }: Delivery): number {
  return Math.min(attempts, logged + 1) - interrupted - broughtForward
}

const absorbing: readonly string[] = ['delivered', 'dead_lettered']

/** What holds of every write of a delivery. */
export function checkDeliveries(
  world: World,
  truth: Truth,
  { transitions, set, by }: Committed,
  posts: (endpointId: string, messageId: string) => readonly Post[],
  isOver: (messageId: string) => boolean,
): void {
  const tried = new Map<string, AttemptRecord>()
  // An entry of what a crash interrupted tells nothing of the attempt that this commit settles.
  for (const { after } of of(attempts, transitions))
    if (after && after.row.error !== 'interrupted')
      tried.set(keyText([after.row.endpointId, after.row.messageId]), after.row)
  // An erasure takes the outcome of a case with what callers wrote in it, or later where it was still being sent.
  const isReleased = of(owedOutcomes, transitions).some(({ after }) => !after)
  const erases =
    isReleased ||
    of(reviewCases, transitions).some(
      ({ before, after }) => after?.row.presentation === null && before?.row.presentation !== null,
    )
  for (const change of of(deliveries, transitions)) {
    const { before, after } = change
    const isEnded = isReleased || before?.row.due === null
    if (erases && !after && before?.row.kind === 'callback' && isEnded) continue
    if (before && !after && isOver(before.row.messageId)) continue
    // Whether it had ended is looked at with the purge.
    if (before && !after && isPurging(truth, before.row)) continue
    checkMove(world, change)
    checkDelivered(world, change, posts, by)
    checkLogged(world, change, tried.get(change.key))
    checkNoticeEnded(world, truth, change, tried.get(change.key))
    checkSchedule(world, change, tried.get(change.key))
  }
  // The outcome of a case whose content is erased is stored under a key of its own, and sent as it was.
  const saysTheSame = (before: Message, after: Message) =>
    sameBytes(before.body, after.body) ||
    (before.type === 'review.outcome' &&
      erases &&
      sameBytes(outcomeBytes(truth, before), outcomeBytes(truth, after, transitions)))
  for (const { before, after, key } of of(messages, transitions))
    if (erases && !after && before?.row.type === 'review.outcome') continue
    else if (before && !after && (isOver(key) || isPurging(truth, before.row))) continue
    else if (before && !(after && saysTheSame(before.row, after.row)))
      world.broken('same id, same bytes', `the body of ${key} was changed`)
  for (const { row } of set.puts ?? []) {
    const tenant = Reflect.get(row, 'tenantId')
    if (set.tenant !== null && tenant !== set.tenant)
      world.broken(
        'own tenant only',
        `a commit for ${set.tenant} writes a row of ${String(tenant)}`,
      )
  }
  checkSeen(world, truth, transitions, set)
}

function checkMove(world: World, { before, after, key }: Transition<Delivery>): void {
  const wrong = (detail: string) => world.broken('delivery moves', `${key}: ${detail}`)
  if (!after) {
    wrong('was removed')
    return
  }
  const now = after.row
  if (absorbing.includes(now.status) !== (now.due === null))
    wrong(`${now.status} with due ${now.due}`)
  if (!before) {
    if (now.status !== 'pending' || now.round !== 1)
      wrong(`born ${now.status} in round ${now.round}`)
    return
  }
  const was = before.row
  if (now.deliveryId !== was.deliveryId || now.createdAt !== was.createdAt) wrong('became another')
  if (now.round !== was.round) {
    if (now.round !== was.round + 1 || now.status !== 'pending')
      wrong(`round ${was.round} ${was.status} became round ${now.round} ${now.status}`)
    if (
      before.leasedBy &&
      was.due !== null &&
      !absorbing.includes(was.status) &&
      now.generation === was.generation
    )
      wrong('a round was opened under a lease')
    return
  }
  if (absorbing.includes(was.status)) wrong(`${was.status} became ${now.status} in the same round`)
  if (was.status === 'retry_scheduled' && now.status === 'pending') wrong('a retry became pending')
}

/** `delivered` is what a 2xx in time made it, to the process that says so. */
function checkDelivered(
  world: World,
  { before, after, key }: Transition<Delivery>,
  posts: (endpointId: string, messageId: string) => readonly Post[],
  by: string,
): void {
  if (after?.row.status !== 'delivered' || before?.row.status === 'delivered') return
  const taken = posts(after.row.endpointId, after.row.messageId).some(
    ({ result, resultAt, startedAt, by: sender }) =>
      sender === by &&
      result?.kind === 'answer' &&
      result.status >= 200 &&
      result.status <= 299 &&
      (resultAt ?? 0) - startedAt <= 10_000,
  )
  if (!taken) world.broken('delivered means 2xx', `${key} without a 2xx within 10 s to ${by}`)
}

/** The attempt that made it `delivered` is in the log, by the same commit. */
function checkLogged(
  world: World,
  { before, after, key }: Transition<Delivery>,
  tried: AttemptRecord | undefined,
): void {
  if (after?.row.status !== 'delivered' || before?.row.status === 'delivered') return
  if (tried?.outcome !== 'delivered')
    world.broken(
      'delivery moves',
      `${key} is delivered, its log says ${tried?.outcome ?? 'nothing'}`,
    )
}

/** What a webhook is told about itself ends by its attempts, by a 410 or with the webhook, and not by a turn-off. */
function checkNoticeEnded(
  world: World,
  truth: Truth,
  { before, after, key }: Transition<Delivery>,
  tried: AttemptRecord | undefined,
): void {
  if (before?.row.kind !== 'notice' || after?.row.status !== 'dead_lettered') return
  if (before.row.status === 'dead_lettered' || tried) return
  const webhook = truth.rows(webhooks).get(before.row.endpointId)?.row
  if (webhook && webhook.statusReason !== 'endpoint_gone')
    world.broken('notices are owed', `${key} was ended unsent while its webhook is there`)
}

/** A known failure is retried after the wait of its number, jitter and Retry-After aside. */
function checkSchedule(
  world: World,
  { before, after, key }: Transition<Delivery>,
  tried: AttemptRecord | undefined,
): void {
  if (!before || !after || after.row.status !== 'retry_scheduled' || after.row.due === null) return
  // Where clocks step, what is due is counted by another one than what is logged.
  const stepped = world.plan.disturbances.some(({ kind }) => kind === 'jump')
  if (stepped || !tried) return
  const failedAt = tried.startedAt + tried.latencyMs
  const { waits, jitter, last: lastAfter } = retrySchedules[after.row.policy]
  // What was interrupted, and what somebody asked for, takes no step of the schedule.
  const { attempts: made, interrupted, broughtForward } = after.row
  const wait = waits[made - interrupted - broughtForward - 1]
  const wrong = (detail: string) =>
    world.broken('retry schedule', `${key}, attempt ${after.row.attempts}: ${detail}`)
  const first = after.row.firstAttemptAt ?? failedAt
  const deadline = lastAfter === null ? null : first + lastAfter
  if (wait === undefined) {
    if (deadline === null) wrong('retried although its attempts are spent')
    else if (Math.abs(after.row.due - deadline) > second)
      wrong(`the last try is ${after.row.due - deadline} ms from its time`)
    return
  }
  const waited = after.row.due - failedAt
  const least = deadline === null ? wait : Math.min(wait, deadline - failedAt)
  // A batch of commits, or a stall, may come between the answer and the moment that is counted from.
  if (waited < least - second) wrong(`after ${waited} ms, expected at least ${wait}`)
  const most = Math.max(wait * (1 + jitter), after.row.policy === 'review' ? wait * 2 : 0)
  if (waited > most + 2 * minute) wrong(`after ${waited} ms, expected at most ${most}`)
}

/** A write replaces the row that it saw, and rests on checks that hold. */
function checkSeen(
  world: World,
  truth: Truth,
  transitions: readonly Transition[],
  set: Committed['set'],
): void {
  const versions = new Map(
    transitions.map(({ in: name, key, before }) => [`${name} ${key}`, before?.version ?? 0]),
  )
  let at = (set.removes ?? []).length
  for (const put of set.puts ?? []) {
    const change = transitions[at++]
    const seen = put.was?.version ?? 0
    const now = change?.before?.version ?? 0
    if (seen !== now)
      world.broken(
        'writes replace what they saw',
        `${put.in} ${change?.key}: saw version ${seen}, replaced ${now}`,
      )
  }
  for (const remove of set.removes ?? []) {
    const now = versions.get(
      `${remove.in} ${remove.key.length === 1 ? remove.key[0] : JSON.stringify(remove.key)}`,
    )
    if (now !== remove.version)
      world.broken(
        'writes replace what they saw',
        `${remove.in}: removed version ${now}, saw ${remove.version}`,
      )
  }
  for (const check of set.checks ?? []) {
    const now = truth.version(check.in, check.key)
    if (now !== check.version)
      world.broken(
        'writes replace what they saw',
        `${check.in} ${JSON.stringify(check.key)}: relied on version ${check.version}, it was ${now}`,
      )
  }
}
