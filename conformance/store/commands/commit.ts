import { expectEqual } from '../../assert.ts'
import { type Draft, drafts } from '../arbitraries.ts'
import type { StoreCommand } from './command.ts'

/** Commits one set: outcome, conflicts and ranges as the model says. */
export const commitCommand = drafts.map(
  (draft: Draft): StoreCommand => ({
    check: () => true,
    async run({ model }, { held: { one: store } }) {
      const set = draft.build(model)
      expectEqual(await store.commit(set), model.commit(set), 'the outcome of a commit')
    },
    toString: () => `commit ${draft.says}`,
  }),
)
