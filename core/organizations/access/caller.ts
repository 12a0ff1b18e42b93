import type { CallerSignal } from '../../base/ports/secrets.ts'
import type { RowsOf } from '../../kernel/shape.ts'
import { fromHost, optional } from '../../kernel/wrap.ts'

/** Who tries to log in, as far as the throttle tells callers apart. */
export const caller = {
  /** Network address. */
  address: fromHost<string>(),
  /** The device token of an earlier login, if the caller sent one. */
  device: optional(fromHost<string | null>()),
  /** Aborted when the caller has left: a password check that waits for its turn is then dropped. */
  signal: optional(fromHost<CallerSignal>()),
}

/** Who tries to log in. */
export interface LoginCaller extends RowsOf<typeof caller> {}
