import type { Bench } from '../bench.ts'
import { Act, type Expected } from './act.ts'
import { type ModelCase, type Person, people } from './world.ts'

export class Claim extends Act {
  readonly person: Person

  constructor(index: number, stale: boolean, person: Person) {
    super(index, stale)
    this.person = person
  }

  protected call({ cases }: Bench, { reviewCaseId }: ModelCase, seen: { caseVersion: number }) {
    return cases.claim(people[this.person], { reviewCaseId, ...seen })
  }

  protected foresee({ state, assignee, requestedBy }: ModelCase): Expected {
    const { memberId } = people[this.person]
    if (state === 'expired') return 'case_expired'
    if (state !== 'open') return 'invalid_transition'
    if (requestedBy === memberId) return 'requester_cannot_review'
    if (assignee !== null) return assignee === memberId ? 'ok' : 'already_assigned'
    return this.stale ? 'version_conflict' : 'ok'
  }

  protected change(review: ModelCase): void {
    review.assignee = people[this.person].memberId
  }

  toString(): string {
    return `claim(case ${this.index}, ${this.person}${this.stale ? ', stale' : ''})`
  }
}
