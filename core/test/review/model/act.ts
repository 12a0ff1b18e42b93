import assert from 'node:assert/strict'
import type { CaseView } from '@countersign/core/internal'
import type { RefusalCode, Result } from '@countersign/core/ledger'
import type { AsyncCommand } from 'fast-check'
import type { Bench } from '../bench.ts'
import { assertWorld, type Model, type ModelCase, pick, touch } from './world.ts'

export type Expected = 'ok' | RefusalCode

/** What most commands share: one case, one call, one foreseen answer. */
export abstract class Act implements AsyncCommand<Model, Bench> {
  readonly index: number
  readonly stale: boolean

  constructor(index: number, stale: boolean) {
    this.index = index
    this.stale = stale
  }

  check(model: Readonly<Model>): boolean {
    return model.cases.length > 0
  }

  async run(model: Model, bench: Bench): Promise<void> {
    const review = pick(model, this.index)
    if (!review) return
    const { caseVersion } = bench.stored(review.reviewCaseId)
    const result = await this.call(bench, review, {
      // Versions begin with 1.
      caseVersion: this.stale ? caseVersion - 1 || caseVersion + 1 : caseVersion,
    })
    const lapsed = touch(model, review)
    const may = lapsed ? 'case_expired' : this.foresee(review)
    const expected = this.denied(review) ? 'forbidden' : may
    assert.equal(result.ok ? 'ok' : result.refusal.code, expected)
    if (expected === 'ok') this.change(review, model)
    assertWorld(model, bench)
  }

  protected abstract call(
    bench: Bench,
    review: ModelCase,
    seen: { readonly caseVersion: number },
  ): Promise<Result<CaseView>>
  /** Whether the actor may not ask at all, which comes before state and version. */
  protected denied(_: ModelCase): boolean {
    return false
  }
  protected abstract foresee(review: ModelCase): Expected
  protected abstract change(review: ModelCase, model: Model): void
  abstract toString(): string

  /** For what needs an open case at its current version. */
  protected moved({ state }: ModelCase): Expected {
    if (state === 'expired') return 'case_expired'
    if (this.stale) return 'version_conflict'
    return state === 'open' ? 'ok' : 'invalid_transition'
  }
}
