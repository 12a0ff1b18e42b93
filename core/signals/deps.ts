import type { Ledger } from '../ledger/ledger.ts'
import type { Random } from '../ports/random.ts'
import type { Scorer } from '../ports/scorer.ts'
import type { ReviewHost } from '../review/deps.ts'

/** Dependencies of the room: the host's and those of other rooms. */
export interface SignalDeps extends ReviewHost {
  readonly ledger: Ledger
  readonly random: Random
  /** Default `default-1`. */
  readonly scorer?: Scorer
}
