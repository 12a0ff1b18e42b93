import type { QueuedCaseAnswer } from '@countersign/client'
import type { PortalClient } from '@countersign/client/portal'
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../client/api.ts'
import { isOffline, NotSent } from '../client/connection.ts'
import { noteRefusal } from '../session.ts'

export type CancelReason = Parameters<PortalClient['reviewCases']['cancel']>[0]['reasonCategory']

/** What is done to each of the cases. */
export type BulkAct =
  | { readonly kind: 'hand_over'; readonly reviewerId: string }
  | { readonly kind: 'cancel'; readonly reason: CancelReason }

/** One call after another, and what became of each. */
interface BulkRun {
  /** By the ids of cases that were tried: done, or why not. */
  readonly results: ReadonlySignal<ReadonlyMap<string, unknown>>
  readonly running: ReadonlySignal<boolean>
  run(act: BulkAct): Promise<void>
  /** Sends nothing more; what is under way is not called back. */
  stop(): void
}

/** Each case is sent in the version that was drawn, so that none that changed since is touched. */
export function useBulk(cases: readonly QueuedCaseAnswer[]): BulkRun {
  const results = useSignal<ReadonlyMap<string, unknown>>(new Map())
  const running = useSignal(false)
  const stopped = useRef(false)
  const stop = () => {
    stopped.current = true
  }
  useEffect(() => stop, [])
  return {
    results,
    running,
    stop,
    run: async (act) => {
      if (running.peek()) return
      running.value = true
      for (const { reviewCaseId, caseVersion } of cases) {
        if (stopped.current) break
        const result = await outcomeOf(act, { reviewCaseId, caseVersion })
        results.value = new Map(results.peek()).set(reviewCaseId, result)
      }
      running.value = false
    },
  }
}

async function outcomeOf(
  act: BulkAct,
  seen: Pick<QueuedCaseAnswer, 'reviewCaseId' | 'caseVersion'>,
): Promise<unknown> {
  try {
    if (isOffline.peek()) throw new NotSent()
    if (act.kind === 'cancel') await api.reviewCases.cancel({ ...seen, reasonCategory: act.reason })
    else await api.reviewCases.reassign({ ...seen, reviewerId: act.reviewerId })
    return 'done'
  } catch (error) {
    noteRefusal(error)
    return error
  }
}
