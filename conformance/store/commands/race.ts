import type { ChangeSet, CommitOutcome } from '@countersign/core/ports'
import fc from 'fast-check'
import { ConformanceError, same, show } from '../../assert.ts'
import { type Draft, drafts } from '../arbitraries.ts'
import { everything } from '../everything.ts'
import type { StoreModel } from '../model.ts'
import type { StoreCommand } from './command.ts'

/** Commits several sets at once: some order of them, one after another, must explain every outcome and the rows. */
export const raceCommand = fc.array(drafts, { minLength: 2, maxLength: 4 }).map(
  (racing: readonly Draft[]): StoreCommand => ({
    check: () => true,
    async run(modelled, { held: { one: store } }) {
      const sets = racing.map((draft) => draft.build(modelled.model))
      const outcomes = await Promise.all(sets.map((set) => store.commit(set)))
      const explained = explanations(modelled.model, sets, outcomes)
      let wrong: readonly string[] = []
      for (const model of explained) {
        wrong = await everything(store, model)
        if (wrong.length === 0) {
          modelled.model = model
          return
        }
      }
      throw new ConformanceError(
        explained.length
          ? `no order of the racing sets explains the rows that they left; by the last one: ${wrong.join('; ')}`
          : `no order of the racing sets explains their outcomes: ${show(outcomes)}`,
      )
    },
    toString: () => `race ${racing.map(({ says }) => says).join(' | ')}`,
  }),
)

function explanations(
  before: StoreModel,
  sets: readonly ChangeSet[],
  outcomes: readonly CommitOutcome[],
): StoreModel[] {
  if (sets.length === 0) return [before]
  return sets.flatMap((set, at) => {
    const model = before.copy()
    if (!same(model.commit(set), outcomes[at])) return []
    return explanations(
      model,
      sets.filter((_, other) => other !== at),
      outcomes.filter((_, other) => other !== at),
    )
  })
}
