import { decodeBase64 } from '../../proof/signing/encoding.ts'
import { longestTimeStamp, readTimeStamp } from '../../proof/time-stamp.ts'
import type { Report } from './finding.ts'
import { type Json, msOf, textOf } from './read.ts'
import type { SealTimes } from './times.ts'

/** What may lie between a stamp and the times of what it is over. */
const atItsTimeMs = 86_400_000

/**
 * Checks that the time stamp of an anchor is over the hash of its entry, and of the time of both the entry and the seal
 * that it is shown for, if any; by whom it is signed is for `report.stamps`.
 */
export function checkStamp(
  shown: Json,
  { entry, hash }: { readonly entry: Uint8Array; readonly hash: string },
  report: Report,
  times: SealTimes | null = null,
): void {
  const { timeStamp = null, sequence, anchoredAt } = shown
  if (timeStamp === null) {
    if (report.stamps) report.noted('stamp', 'It has no time stamp.')
    return
  }
  const answer = typeof timeStamp === 'string' ? decodeBase64(timeStamp) : null
  const stamp = answer && answer.length <= longestTimeStamp ? readTimeStamp(answer) : null
  if (answer === null || stamp === null) {
    report.failed('stamp', 'The time stamp is malformed.')
    return
  }
  if (stamp.digest !== hash) {
    report.failed('stamp', `The time stamp is over ${stamp.digest}, not ${hash}.`)
    return
  }
  const { stampedAt } = stamp
  const fault = stampFault(stampedAt, anchoredAt, times)
  // One finding stands for all that was stamped at its time by one stamp.
  const about = fault === null ? `ledger entry ${textOf(sequence)}` : report.about
  if (report.stamps) report.stamps({ about, answer, entry, stampedAt, fault })
  else
    report.noted(
      'stamp',
      `A time stamp of ${timeOf(stampedAt)} is over it${fault === null ? '' : `, ${fault}`}; its authority was not checked.`,
    )
}

/** Why a stamp is not of the time of what it is over; null where it is. */
export function stampFault(
  stampedAt: number,
  anchoredAt: unknown,
  times: SealTimes | null,
): string | null {
  if (!(Math.abs(stampedAt - msOf(anchoredAt)) <= atItsTimeMs))
    return 'over a day from when it says that it was anchored'
  if (times === null) return null
  if (!(stampedAt - times.endedAt <= atItsTimeMs))
    return `over a day after it says that it ended, ${timeOf(times.endedAt)}: nothing shows that it existed before`
  if (!(times.latestAt - stampedAt <= atItsTimeMs))
    return `over a day before a time that it tells, ${timeOf(times.latestAt)}`
  return null
}

function timeOf(ms: number): string {
  return new Date(ms).toJSON() ?? 'no time'
}

/** Says that nothing which can be witnessed covers what is looked at; `isWaiting`: it is sealed soon, which is no lack. */
export function noteUnwitnessed(detail: string, report: Report, isWaiting = false): void {
  if (report.known !== null) report[isWaiting ? 'noted' : 'unchecked']('witness', detail)
  if (report.stamps) report.noted('stamp', detail)
}
