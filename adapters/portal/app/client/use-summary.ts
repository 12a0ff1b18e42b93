import type { SummaryAnswer } from '@countersign/client'
import { useEffect } from 'preact/hooks'
import { api, noteServerTime } from './api.ts'
import { useRead } from './use-read.ts'

/** What waits for the member, in numbers, read again and again; the clock of deadlines goes by it. Null before it came. */
export function useSummary(): SummaryAnswer | null {
  const reading = useRead('summary', (signal) => api.portal.readSummary({}, { signal }), {
    everyMs: 5_000,
  })
  const summary = reading.data.value
  useEffect(() => {
    if (summary) noteServerTime(summary.serverTime)
  }, [summary])
  return summary
}
