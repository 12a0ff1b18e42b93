import type { AsyncCommand } from 'fast-check'
import type { Bench } from '../bench.ts'
import { assertWorld, type Model, touch } from './world.ts'

/** The runner does what has fallen due. */
export class RunDeadlines implements AsyncCommand<Model, Bench> {
  check(): boolean {
    return true
  }

  async run(model: Model, bench: Bench): Promise<void> {
    await bench.runner.tick()
    for (const review of model.cases) {
      touch(model, review)
      if (review.state === 'open' && model.now >= review.dueAt) review.overdue = true
    }
    assertWorld(model, bench)
  }

  toString(): string {
    return 'deadlines'
  }
}
