import type { SummaryAnswer } from '@countersign/client'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, noteServerTime } from './api.ts'
import { type Reading, useRead } from './use-read.ts'

const latest = signal<SummaryAnswer | null>(null)
const polled = signal<Reading<SummaryAnswer> | null>(null)

/** What waits for the member, in numbers, as it was read last; null before it came. */
export const useSummary = (): SummaryAnswer | null => latest.value

/** The reading of the summary that the frame does; null before it began. */
export const useSummaryReading = (): Reading<SummaryAnswer> | null => polled.value

/** Reads the summary again and again, once around all pages; the clock of deadlines goes by it. */
export function useSummaryPolling(): void {
  const reading = useRead('summary', (signal) => api.portal.readSummary({}, { signal }), {
    everyMs: 5_000,
    sharedAs: 'summary',
  })
  const found = reading.data.value
  useEffect(() => {
    if (found) noteServerTime(found.serverTime)
    latest.value = found
  }, [found])
  useEffect(() => {
    polled.value = reading
    return () => {
      latest.value = null
      polled.value = null
    }
  }, [])
}

/** Cases that the member could go on with: their own, and those that nobody has. */
export function waitingCases(): number {
  const cases = latest.value?.reviewCases
  return cases ? cases.mine + cases.unassigned : 0
}
