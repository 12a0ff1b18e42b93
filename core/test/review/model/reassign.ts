import type { Bench } from '../bench.ts'
import { Act, type Expected } from './act.ts'
import { type ModelCase, type Person, people } from './world.ts'

export class Reassign extends Act {
  readonly person: Person
  readonly to: Person

  constructor(index: number, stale: boolean, person: Person, to: Person) {
    super(index, stale)
    this.person = person
    this.to = to
  }

  protected call({ cases }: Bench, { reviewCaseId }: ModelCase, seen: { caseVersion: number }) {
    const reviewerId = people[this.to].memberId
    return cases.reassign(people[this.person], { reviewCaseId, ...seen, reviewerId })
  }

  protected override denied(review: ModelCase): boolean {
    return this.person !== 'admin' && review.assignee !== people[this.person].memberId
  }

  protected foresee(review: ModelCase): Expected {
    const expected = this.moved(review)
    if (expected !== 'ok') return expected
    const { memberId } = people[this.to]
    if (memberId === review.assignee) return 'already_assigned'
    return memberId === review.requestedBy ? 'requester_cannot_review' : 'ok'
  }

  protected change(review: ModelCase): void {
    review.assignee = people[this.to].memberId
    review.pending = false
  }

  toString(): string {
    return `reassign(case ${this.index}, ${this.person} to ${this.to}${this.stale ? ', stale' : ''})`
  }
}
