import { app, type Bench } from '../bench.ts'
import { Act, type Expected } from './act.ts'
import { canary, type ModelCase } from './world.ts'

export class AnswerFollowUp extends Act {
  protected call({ cases }: Bench, { reviewCaseId }: ModelCase, seen: { caseVersion: number }) {
    return cases.answerFollowUp(app, { reviewCaseId, ...seen, answer: `${canary}!` })
  }

  protected foresee(review: ModelCase): Expected {
    const expected = this.moved(review)
    if (expected !== 'ok') return expected
    return review.pending ? 'ok' : 'invalid_transition'
  }

  protected change(review: ModelCase): void {
    review.pending = false
  }

  toString(): string {
    return `answer(case ${this.index}${this.stale ? ', stale' : ''})`
  }
}
