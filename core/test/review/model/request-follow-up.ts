import type { Bench } from '../bench.ts'
import { Act, type Expected } from './act.ts'
import { canary, type ModelCase, type Person, people } from './world.ts'

export class RequestFollowUp extends Act {
  readonly person: Person

  constructor(index: number, stale: boolean, person: Person) {
    super(index, stale)
    this.person = person
  }

  protected call({ cases }: Bench, { reviewCaseId }: ModelCase, seen: { caseVersion: number }) {
    const question = `${canary}?`
    return cases.requestFollowUp(people[this.person], { reviewCaseId, ...seen, question })
  }

  protected foresee(review: ModelCase): Expected {
    const expected = this.moved(review)
    if (expected !== 'ok') return expected
    if (review.assignee !== people[this.person].memberId) return 'invalid_transition'
    return review.pending ? 'follow_up_pending' : 'ok'
  }

  protected change(review: ModelCase): void {
    review.pending = true
  }

  toString(): string {
    return `ask(case ${this.index}, ${this.person}${this.stale ? ', stale' : ''})`
  }
}
