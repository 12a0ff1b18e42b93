import type { Bench } from '../bench.ts'
import { Act, type Expected } from './act.ts'
import { canary, close, type Model, type ModelCase, type Person, people } from './world.ts'

export class Decide extends Act {
  readonly person: Person
  readonly decision: 'approved' | 'rejected' | 'response_submitted'
  /** Whether what is decided on is what is shown. */
  readonly looked: boolean

  constructor(
    index: number,
    stale: boolean,
    person: Person,
    decision: 'approved' | 'rejected' | 'response_submitted',
    looked: boolean,
  ) {
    super(index, stale)
    this.person = person
    this.decision = decision
    this.looked = looked
  }

  protected call(bench: Bench, { reviewCaseId }: ModelCase, seen: { caseVersion: number }) {
    const shown = bench.stored(reviewCaseId).presentationDigest ?? 'f'.repeat(64)
    return bench.cases.decide(people[this.person], {
      reviewCaseId,
      ...seen,
      presentationDigest: this.looked ? shown : '0'.repeat(64),
      decision: this.decision,
      comment: canary,
      response: { text: canary },
    })
  }

  protected foresee(review: ModelCase): Expected {
    const expected = this.moved(review)
    if (expected !== 'ok') return expected
    if (review.assignee !== people[this.person].memberId) return 'invalid_transition'
    return this.looked ? 'ok' : 'presentation_changed'
  }

  protected change(review: ModelCase, model: Model): void {
    close(model, review, 'decided')
  }

  toString(): string {
    const flaws = [this.stale ? ', stale' : '', this.looked ? '' : ', unseen'].join('')
    return `decide(case ${this.index}, ${this.person}, ${this.decision}${flaws})`
  }
}
