import type { Slices } from '../../base/json/in-slices.ts'
import { wrong } from '../../kernel/ledger/input-errors.ts'
import type { FieldError } from '../../kernel/ledger/refusal.ts'
import { faultsOf } from '../../kernel/members.ts'
import { lengthOf } from '../accept/incoming.ts'
import { beside, type Submission, type SubmittedSession, step } from './submitted.ts'

type Errors = readonly FieldError[]

/** Errors beyond these are left out. */
const mostErrors = 20

/** Checks a submission, of which nothing was checked before, with pauses. */
export function* checkSubmission(
  submission: Submission,
  slices: Slices,
): Generator<undefined, Errors> {
  const errors = faultsOf(beside.submission, submission, '', true)
  if (errors.length > 0) return errors
  const seen = new Set<unknown>()
  const found: FieldError[] = []
  for (const [at, session] of submission.sessions.entries()) {
    const pointer = `/sessions/${at}`
    const faults = yield* checkSession(session, pointer, slices)
    const id = wrong(`${pointer}/sessionId`, 'expected each session once in a batch')
    found.push(...faults, ...checkOnce(seen, session?.sessionId, id, faults))
    if (found.length >= mostErrors) break
  }
  return found.slice(0, mostErrors)
}

function* checkSession(
  session: SubmittedSession,
  pointer: string,
  slices: Slices,
): Generator<undefined, Errors> {
  const { steps, ...rest } = session ?? {}
  if (slices.spend(lengthOf(rest))) yield
  const errors = [...faultsOf(beside.session, session, pointer, true)]
  if (errors.length > 0) return errors
  const found = [...checkKind(session, pointer), ...checkOrder(session, pointer)]
  const ids = new Set<unknown>()
  for (const [at, each] of steps.entries()) {
    if (slices.spend(lengthOf(each))) yield
    const where = `${pointer}/steps/${at}`
    const faults = faultsOf(step, each, where, true)
    found.push(...(faults.length > 0 ? faults : checkOrder(each, where)))
    const id = wrong(`${where}/stepId`, 'expected each step once')
    found.push(...checkOnce(ids, each?.stepId, id, faults))
    if (found.length >= mostErrors) return found
  }
  for (const list of ['policyResults', 'scores'] as const)
    for (const [at, { stepId = null }] of (session[list] ?? []).entries())
      if (stepId !== null && !ids.has(stepId))
        found.push(
          wrong(`${pointer}/${list}/${at}/stepId`, 'expected the id of a step of this session'),
        )
  return found
}

/** Leaves of other kinds name theirs under `leafType`: none of them is a session's. */
function checkKind(session: SubmittedSession, pointer: string): Errors {
  return Object.hasOwn(session, 'leafType')
    ? [
        wrong(
          `${pointer}/leafType`,
          'expected no member of this name: it names leaves that are no session',
        ),
      ]
    : []
}

/** `repeated` where the id came before, unless it has a fault of its own. */
function checkOnce(seen: Set<unknown>, id: unknown, repeated: FieldError, faults: Errors): Errors {
  const isRepeated = seen.has(id) && !faults.some(({ pointer }) => pointer === repeated.pointer)
  seen.add(id)
  return isRepeated ? [repeated] : []
}

interface Timed {
  readonly startedAt: string
  readonly endedAt: string
}

function checkOrder({ startedAt, endedAt }: Timed, pointer: string): Errors {
  return Date.parse(startedAt) > Date.parse(endedAt)
    ? [wrong(`${pointer}/endedAt`, 'expected a time not before startedAt')]
    : []
}
