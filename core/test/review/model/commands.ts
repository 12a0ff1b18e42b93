import fc, { type AsyncCommand } from 'fast-check'
import { type Bench, hour, minute } from '../bench.ts'
import { AnswerFollowUp } from './answer-follow-up.ts'
import { Cancel } from './cancel.ts'
import { Claim } from './claim.ts'
import { Decide } from './decide.ts'
import { Open } from './open.ts'
import { OpenByPolicy } from './open-by-policy.ts'
import { PassTime } from './pass-time.ts'
import { Reassign } from './reassign.ts'
import { ReplayCallback } from './replay-callback.ts'
import { ReportContinuation } from './report-continuation.ts'
import { RequestFollowUp } from './request-follow-up.ts'
import { RunDeadlines } from './run-deadlines.ts'
import { SetCallback } from './set-callback.ts'
import type { Model, Person } from './world.ts'

const index = fc.nat(4)
const stale = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean())
const person = fc.constantFrom<Person>('ann', 'ann', 'bob', 'admin')
const looked = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.boolean())

/** What may happen to the cases of an application. */
export const commands: fc.Arbitrary<AsyncCommand<Model, Bench>>[] = [
  fc
    .tuple(fc.nat(2), fc.option(person, { nil: null }), fc.constantFrom('this', 'this', 'that'))
    .map((given) => new Open(...given)),
  fc.nat(2).map((checkpoint) => new OpenByPolicy(checkpoint)),
  fc.boolean().map((enabled) => new SetCallback(enabled)),
  index.map((given) => new ReplayCallback(given)),
  fc.tuple(index, stale, person).map((given) => new Claim(...given)),
  fc.tuple(index, stale, person, person).map((given) => new Reassign(...given)),
  fc.tuple(index, stale, person).map((given) => new RequestFollowUp(...given)),
  fc.tuple(index, stale).map((given) => new AnswerFollowUp(...given)),
  fc
    .tuple(
      index,
      stale,
      person,
      fc.constantFrom('approved', 'rejected', 'response_submitted'),
      looked,
    )
    .map((given) => new Decide(...given)),
  fc
    .tuple(index, stale, fc.constantFrom('application', 'admin', 'system'))
    .map((given) => new Cancel(...given)),
  fc
    .tuple(index, fc.constantFrom('resumed', 'remained_paused', 'terminated'))
    .map((given) => new ReportContinuation(...given)),
  fc
    .oneof(fc.constantFrom(hour, 3 * hour), fc.integer({ min: -10 * minute, max: 2 * hour }))
    .map((ms) => new PassTime(ms)),
  fc.constant(new RunDeadlines()),
]
