import { app, type Bench } from '../bench.ts'
import { Act, type Expected } from './act.ts'
import { canary, type ModelCase } from './world.ts'

export class ReportContinuation extends Act {
  readonly outcome: 'resumed' | 'remained_paused' | 'terminated'

  constructor(index: number, outcome: 'resumed' | 'remained_paused' | 'terminated') {
    super(index, false)
    this.outcome = outcome
  }

  protected call({ cases }: Bench, { reviewCaseId }: ModelCase) {
    return cases.reportContinuation(app, { reviewCaseId, outcome: this.outcome, detail: canary })
  }

  protected foresee({ state, continuation }: ModelCase): Expected {
    if (state === 'open') return 'invalid_transition'
    return [null, this.outcome, 'remained_paused'].includes(continuation)
      ? 'ok'
      : 'continuation_conflict'
  }

  protected change(review: ModelCase): void {
    review.continuation = this.outcome
  }

  toString(): string {
    return `report(case ${this.index}, ${this.outcome})`
  }
}
