import fc from 'fast-check'
import { expectEqual } from '../../assert.ts'
import { everything } from '../everything.ts'
import type { StoreCommand } from './command.ts'

/** Restarts: everything that was told committed is there. */
export const reopenCommand = fc.constant<StoreCommand>({
  check: () => true,
  async run({ model }, real) {
    if (!real.reopen) return
    real.held.one = await real.reopen(real.held.one)
    expectEqual(await everything(real.held.one, model), [], 'what a restart changed')
  },
  toString: () => 'reopen',
})
