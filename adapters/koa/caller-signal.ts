import type { CallerSignal } from '@countersign/core/ports'
import type { Context } from 'koa'

/** Aborted once the client of a request no longer waits for its answer. */
export function callerSignal({ res }: Context): CallerSignal {
  return {
    get aborted() {
      return res.destroyed
    },
  }
}
