import assert from 'node:assert/strict'
import type { AsyncCommand } from 'fast-check'
import { app, type Bench, hour, opening } from '../bench.ts'
import type { Expected } from './act.ts'
import { assertWorld, canary, type Model, type Person, people, touch } from './world.ts'

/** Opens a case at one of a few checkpoints, or finds the one that is open there; a policy's is adopted. */
export class Open implements AsyncCommand<Model, Bench> {
  readonly checkpoint: number
  readonly requester: Person | null
  /** What is asked: another thing is another presentation. */
  readonly asks: string

  constructor(checkpoint: number, requester: Person | null, asks = 'this') {
    this.checkpoint = checkpoint
    this.requester = requester
    this.asks = asks
  }

  check(): boolean {
    return true
  }

  async run(model: Model, bench: Bench): Promise<void> {
    const requestedBy = this.requester && people[this.requester].memberId
    const [dueAt, expiresAt] = [model.now + hour, model.now + 3 * hour]
    const opened = await bench.cases.open(
      app,
      opening({
        sessionId: 'ses_model',
        checkpointId: `checkpoint-${this.checkpoint}`,
        resumeToken: canary,
        presentation: { prompt: canary, asks: this.asks },
        policyResults: [{ detail: canary }],
        requestedBy,
        dueAt,
        expiresAt,
      }),
    )
    const there = model.cases.filter(({ checkpoint }) => checkpoint === this.checkpoint)
    for (const review of there) touch(model, review)
    const held = there.find(({ state }) => state === 'open')
    let expected: Expected = 'ok'
    const asked = held?.policy?.asked ?? null
    const isOther =
      asked !== null &&
      (asked !== this.asks || (requestedBy !== null && requestedBy !== held?.requestedBy))
    if (isOther) expected = 'idempotency_conflict'
    else if (held?.policy && requestedBy !== null && requestedBy === held.assignee)
      expected = 'requester_cannot_review'
    assert.equal(opened.ok ? 'ok' : opened.refusal.code, expected)
    if (opened.ok) {
      const { reviewCaseId } = opened.value
      assert.equal(opened.value.adopted, held?.policy !== null && held?.policy !== undefined)
      if (held) assert.equal(reviewCaseId, held.reviewCaseId)
      else
        model.cases.push({
          reviewCaseId,
          checkpoint: this.checkpoint,
          requestedBy,
          dueAt,
          expiresAt,
          state: 'open',
          assignee: null,
          pending: false,
          overdue: false,
          continuation: null,
          policy: null,
          callback: 'none',
        })
      if (held?.policy && held.policy.asked === null) {
        held.policy.asked = this.asks
        held.requestedBy = requestedBy
      }
    }
    assertWorld(model, bench)
  }

  toString(): string {
    return `open(checkpoint ${this.checkpoint}, ${this.asks}, requested by ${this.requester ?? 'nobody'})`
  }
}
