import assert from 'node:assert/strict'
import type { AsyncCommand } from 'fast-check'
import { reviewCases } from '../../../review/records.ts'
import { type Bench, hour } from '../bench.ts'
import { openByPolicy } from '../open-by-policy.ts'
import { assertWorld, canary, type Model, touch } from './world.ts'

/** A policy rule requires a case at one of a few checkpoints; one that is open there stands for it. */
export class OpenByPolicy implements AsyncCommand<Model, Bench> {
  readonly checkpoint: number

  constructor(checkpoint: number) {
    this.checkpoint = checkpoint
  }

  check(): boolean {
    return true
  }

  async run(model: Model, bench: Bench): Promise<void> {
    const reviewCaseId = await openByPolicy(bench, {
      sessionId: 'ses_model',
      checkpointId: `checkpoint-${this.checkpoint}`,
      dueInSeconds: 3_600,
      expiresInSeconds: 3 * 3_600,
      presentation: { title: canary },
    })
    const there = model.cases.filter(({ checkpoint }) => checkpoint === this.checkpoint)
    for (const review of there) touch(model, review)
    const held = there.find(({ state }) => state === 'open')
    if (held) assert.equal(reviewCaseId, held.reviewCaseId)
    else {
      const made = bench.store
        .rows(reviewCases)
        .find(({ row }) => row.reviewCaseId === reviewCaseId)
      assert.ok(made)
      // After a clock that went back, times count from the newest event instead.
      const { dueAt, expiresAt } = made.row
      assert.ok(dueAt >= model.now + hour)
      assert.equal(expiresAt - dueAt, 2 * hour)
      model.cases.push({
        reviewCaseId,
        checkpoint: this.checkpoint,
        requestedBy: null,
        dueAt,
        expiresAt,
        state: 'open',
        assignee: null,
        pending: false,
        overdue: false,
        continuation: null,
        policy: { asked: null },
        callback: 'none',
      })
    }
    assertWorld(model, bench)
  }

  toString(): string {
    return `policy(checkpoint ${this.checkpoint})`
  }
}
