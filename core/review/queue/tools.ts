import type { Clock } from '../../base/ports/clock.ts'
import type { KeptAnswers } from '../../kernel/kept-answers.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'

/** What reads that browsers poll need of the host. Its store counts changes (`withChangeCounts`). */
export interface QueueTools {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly kept: KeptAnswers
}
