import type { Actor } from '../../../kernel/callers/actor.ts'
import { admin, app, type Bench, system } from '../bench.ts'
import { Act, type Expected } from './act.ts'
import { close, type Model, type ModelCase } from './world.ts'

const actors: Readonly<Record<'application' | 'admin' | 'system', Actor>> = {
  application: app,
  admin,
  system,
}

export class Cancel extends Act {
  readonly by: keyof typeof actors

  constructor(index: number, stale: boolean, by: keyof typeof actors) {
    super(index, stale)
    this.by = by
  }

  protected call({ cases }: Bench, { reviewCaseId }: ModelCase, seen: { caseVersion: number }) {
    const reasonCategory = 'safer_alternative_completed'
    return cases.cancel(actors[this.by], { reviewCaseId, ...seen, reasonCategory })
  }

  protected foresee(review: ModelCase): Expected {
    return this.moved(review)
  }

  protected change(review: ModelCase, model: Model): void {
    close(model, review, 'cancelled')
  }

  toString(): string {
    return `cancel(case ${this.index}, ${this.by}${this.stale ? ', stale' : ''})`
  }
}
