import fc from 'fast-check'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import type { HttpAnswer } from '../http.ts'
import type { CaseRecord, World } from '../world.ts'
import { acts, type Who } from './acts.ts'

type Step =
  | { readonly act: 'claim' | 'followUp'; readonly who: Who }
  | { readonly act: 'reassign'; readonly who: Who; readonly to: Who }
  | { readonly act: 'decide'; readonly who: Who; readonly decision: string }
  | { readonly act: 'answer' | 'cancel' | 'cancelByAdmin' }
  | { readonly act: 'report'; readonly outcome: string }

/** The table of transitions in small: what a case must look like after each step, and which steps are refused. */
interface Model {
  state: 'open' | 'decided' | 'cancelled'
  assignee: Who | null
  decision: string | null
  outcome: string | null
  version: number
  sequence: number
}

// Mostly one of the two, or few walks would get as far as a decision.
const who = fc.constantFrom<Who>('reviewer', 'reviewer', 'reviewer', 'admin')
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('claim', 'followUp'), who }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('reassign'), who, to: who }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('decide'),
      who,
      decision: fc.constantFrom('approved', 'rejected', 'response_submitted'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('answer') }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('cancel', 'cancelByAdmin') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('report'),
      outcome: fc.constantFrom('resumed', 'terminated', 'remained_paused', 'superseded', 'failed'),
    }),
  },
)

function send(world: World, seen: CaseRecord, step: Step): Promise<HttpAnswer> {
  switch (step.act) {
    case 'claim':
      return acts.claim(world, seen, step.who)
    case 'followUp':
      return acts.followUp(world, seen, step.who)
    case 'reassign':
      return acts.reassign(world, seen, step.who, step.to)
    case 'decide':
      return acts.decide(world, seen, step.who, step.decision)
    case 'report':
      return acts.report(world, seen, step.outcome)
    default:
      return acts[step.act](world, seen)
  }
}

/** Whether the step is granted, and what it makes of the model. */
function follow(model: Model, step: Step): boolean {
  const take = (versions: number, change: Partial<Model>): true => {
    Object.assign(model, change)
    model.version += versions
    model.sequence += 1
    return true
  }
  const { state, assignee, outcome } = model
  if (step.act === 'report') {
    if (state === 'open') return false
    if (outcome === step.outcome) return true
    if (outcome !== null && outcome !== 'remained_paused') return false
    return take(0, { outcome: step.outcome })
  }
  if (state !== 'open') return false
  switch (step.act) {
    case 'claim':
      if (assignee === step.who) return true
      return assignee === null && take(1, { assignee: step.who })
    case 'reassign': {
      const may = step.who === 'admin' || assignee === step.who
      return may && assignee !== step.to && take(1, { assignee: step.to, decision: null })
    }
    case 'followUp':
      return (
        assignee === step.who &&
        model.decision !== 'follow_up_required' &&
        take(1, { decision: 'follow_up_required' })
      )
    case 'answer':
      return model.decision === 'follow_up_required' && take(1, { decision: null })
    case 'decide':
      return assignee === step.who && take(1, { state: 'decided', decision: step.decision })
    default:
      return take(1, { state: 'cancelled', decision: 'cancelled' })
  }
}

export const walkChecks = group('cases', 'interface, Transition table', [
  {
    name: 'walks',
    promise: 'over any sequence of commands a case follows the table, and no other row exists',
    run: (world) =>
      fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 10 }), async (walk) => {
          let seen = await world.open()
          const model: Model = {
            state: 'open',
            assignee: null,
            decision: null,
            outcome: null,
            version: 1,
            sequence: 1,
          }
          for (const step of walk) {
            const { status, text } = await send(world, seen, step)
            const grant = follow(model, step)
            expect(
              grant ? status === 200 : status === 409 || status === 403,
              `${JSON.stringify(step)}: expected ${grant ? 200 : '409 or 403'}, got ${status} ${text}`,
            )
            seen = await world.read(seen.reviewCaseId)
            expectEqual(
              [seen.state, seen.decision, seen.caseVersion],
              [model.state, model.decision, model.version],
              `state, decision, caseVersion after ${JSON.stringify(step)}`,
            )
            // Once it is closed, attempts of its callback take numbers too.
            expect(
              seen.state === 'open'
                ? seen.eventSequence === model.sequence
                : seen.eventSequence >= model.sequence,
              `eventSequence after ${JSON.stringify(step)}: expected ${model.sequence}, got ${seen.eventSequence}`,
            )
            model.sequence = seen.eventSequence
          }
        }),
        { numRuns: 30 },
      ),
  },
])
