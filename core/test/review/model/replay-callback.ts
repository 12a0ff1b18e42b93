import assert from 'node:assert/strict'
import type { AsyncCommand } from 'fast-check'
import { type Bench, bob } from '../bench.ts'
import type { Expected } from './act.ts'
import { assertWorld, type Model, pick, touch } from './world.ts'

/** Replays the callback of a case; nothing is sent here, so that none has failed. */
export class ReplayCallback implements AsyncCommand<Model, Bench> {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }

  check(model: Readonly<Model>): boolean {
    return model.cases.length > 0
  }

  async run(model: Model, bench: Bench): Promise<void> {
    const review = pick(model, this.index)
    if (!review) return
    const result = await bench.cases.replayCallback(bob, { reviewCaseId: review.reviewCaseId })
    const lapsed = touch(model, review)
    let expected: Expected = 'ok'
    if (lapsed) expected = 'case_expired'
    else if (review.state === 'open' || review.callback === 'owed') expected = 'invalid_transition'
    else if (!model.callback) expected = 'callback_not_configured'
    assert.equal(result.ok ? 'ok' : result.refusal.code, expected)
    if (result.ok) review.callback = 'owed'
    assertWorld(model, bench)
  }

  toString(): string {
    return `replay(case ${this.index})`
  }
}
