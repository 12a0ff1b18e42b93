import assert from 'node:assert/strict'
import type { AsyncCommand } from 'fast-check'
import { app, type Bench, hour, opening, value } from '../bench.ts'
import { assertWorld, canary, type Model, type Person, people, touch } from './world.ts'

/** Opens a case at one of a few checkpoints, or finds the one that is open there. */
export class Open implements AsyncCommand<Model, Bench> {
  readonly checkpoint: number
  readonly requester: Person | null

  constructor(checkpoint: number, requester: Person | null) {
    this.checkpoint = checkpoint
    this.requester = requester
  }

  check(): boolean {
    return true
  }

  async run(model: Model, bench: Bench): Promise<void> {
    const requestedBy = this.requester && people[this.requester].memberId
    const [dueAt, expiresAt] = [model.now + hour, model.now + 3 * hour]
    const view = value(
      await bench.cases.open(
        app,
        opening({
          sessionId: 'ses_model',
          checkpointId: `checkpoint-${this.checkpoint}`,
          resumeToken: canary,
          presentation: { prompt: canary },
          policyResults: [{ detail: canary }],
          requestedBy,
          dueAt,
          expiresAt,
        }),
      ),
    )
    const there = model.cases.filter(({ checkpoint }) => checkpoint === this.checkpoint)
    for (const review of there) touch(model, review)
    const held = there.find(({ state }) => state === 'open')
    if (held) assert.equal(view.reviewCaseId, held.reviewCaseId)
    else
      model.cases.push({
        reviewCaseId: view.reviewCaseId,
        checkpoint: this.checkpoint,
        requestedBy,
        dueAt,
        expiresAt,
        state: 'open',
        assignee: null,
        pending: false,
        overdue: false,
        continuation: null,
      })
    assertWorld(model, bench)
  }

  toString(): string {
    return `open(checkpoint ${this.checkpoint}, requested by ${this.requester ?? 'nobody'})`
  }
}
