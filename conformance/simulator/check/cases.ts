import {
  deliveries,
  digestOf,
  type ReviewCase,
  reviewCases,
  type StepRecord,
} from '@countersign/core/internal'
import { type Committed, of, type Transition } from '../truth.ts'
import type { World } from '../world.ts'
import { rows, terminal } from './steps.ts'

/** The steps that a commit added to a case. */
export function newSteps({ before, after }: Transition<ReviewCase>): readonly StepRecord[] {
  return after ? after.row.history.slice(before?.row.history.length ?? 0) : []
}

const ended = (review: ReviewCase | undefined) => review !== undefined && review.state !== 'open'

/** What holds of every change of a case, whatever made it. */
export function checkCases(world: World, { set, transitions }: Committed): void {
  const changed = of(reviewCases, transitions)
  for (const change of changed) {
    checkHistory(world, change)
    checkTimes(world, change)
    checkEnd(world, change)
    checkDigest(world, change)
  }
  const settles = of(deliveries, transitions).some(
    ({ before, after }) => before?.leasedBy && before.row.round === after?.row.round,
  )
  if (settles) for (const change of changed) checkAnswer(world, change)
  const acted = changed.flatMap(newSteps).filter(({ actor }) => actor.startsWith('member:'))
  if (acted.length > (set.appends ?? []).length)
    world.broken('acts are audited', `${acted.map(({ step }) => step).join(', ')} without an entry`)
}

function checkHistory(world: World, change: Transition<ReviewCase>): void {
  const { before, after, key } = change
  if (!after) return
  let { caseVersion = 0, eventSequence = 0 } = before?.row ?? {}
  const wrong = (detail: string) => world.broken('versions rise', `${key}: ${detail}`)
  for (const step of newSteps(change)) {
    const row = rows[step.step]
    if (!row) {
      wrong(`no step is called ${step.step}`)
      continue
    }
    if (step.eventSequence !== eventSequence + 1)
      wrong(`${step.step} is ${step.eventSequence} after ${eventSequence}`)
    if (step.caseVersion !== caseVersion + Number(row.raises))
      wrong(`${step.step} has version ${step.caseVersion} after ${caseVersion}`)
    caseVersion = step.caseVersion
    eventSequence = step.eventSequence
  }
  if (after.row.caseVersion !== caseVersion || after.row.eventSequence !== eventSequence)
    wrong('the case does not stand where its history ends')
  const kept = (before?.row.history ?? []).every(
    (step, at) => JSON.stringify(step) === JSON.stringify(after.row.history[at]),
  )
  if (!kept) wrong('its history was rewritten')
}

function checkTimes(world: World, change: Transition<ReviewCase>): void {
  const { before, after, key } = change
  if (!after) return
  const { dueAt, expiresAt } = after.row
  const wrong = (detail: string) => world.broken('deadlines are kept', `${key}: ${detail}`)
  if (dueAt > expiresAt) wrong('due after it expires')
  for (const { step, at } of newSteps(change)) {
    if (step === 'expired') {
      if (at < expiresAt) wrong(`expired ${expiresAt - at} ms early`)
    } else if (before?.row.state === 'open' && at >= expiresAt)
      wrong(`${step} ${at - expiresAt} ms after it expired`)
    if (step !== 'overdue') continue
    if (at < dueAt) wrong(`overdue ${dueAt - at} ms early`)
    if (before?.row.overdueAt !== null) wrong('overdue twice')
    if (before?.row.state !== 'open') wrong('overdue after its end')
  }
}

function checkEnd(world: World, { before, after, key }: Transition<ReviewCase>): void {
  if (!after) return
  const ends = after.row.history.filter(({ step }) => terminal.includes(step))
  if (ends.length > 1)
    world.broken('one terminal step', `${key}: ${ends.map(({ step }) => step).join(', then ')}`)
  const { state, decision } = after.row
  if (ended(before?.row) && (before?.row.state !== state || before.row.decision !== decision))
    world.broken('one terminal step', `${key}: ${before?.row.decision} became ${decision}`)
  if (ended(after.row) && ends[0]?.step !== state)
    world.broken('one terminal step', `${key} is ${state} by ${ends[0]?.step ?? 'no step'}`)
  if (state === 'expired' && decision !== 'expired')
    world.broken('expired never approves', `${key} expired with the decision ${decision}`)
}

function checkDigest(world: World, { before, after, key }: Transition<ReviewCase>): void {
  if (!after) return
  const { presentation, presentationDigest, history } = after.row
  const assigned = history.some(({ step }) => step === 'claimed' || step === 'reassigned')
  if (assigned !== (presentationDigest !== null))
    world.broken(
      'digest is of what is shown',
      `${key}: assigned ${assigned}, digest ${presentationDigest}`,
    )
  const same =
    before?.row.presentation === presentation &&
    before.row.presentationDigest === presentationDigest
  // An erasure takes the presentation, and leaves its digest.
  const erased = presentation === null && before?.row.presentationDigest === presentationDigest
  if (
    !same &&
    !erased &&
    presentationDigest !== null &&
    presentationDigest !== digestOf(presentation)
  )
    world.broken('digest is of what is shown', `${key} has the digest of another presentation`)
}

/** A receiver's answer may move the callback, never what the case is about. */
function checkAnswer(world: World, { before, after, key }: Transition<ReviewCase>): void {
  if (!before || !after) return
  const members = ['state', 'decision', 'continuation', 'assigneeId', 'caseVersion'] as const
  for (const member of members)
    if (JSON.stringify(before.row[member]) !== JSON.stringify(after.row[member]))
      world.broken('answers change nothing', `an answer changed ${member} of ${key}`)
}
