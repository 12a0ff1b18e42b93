import { decodeBase64 } from '../../proof/signing/encoding.ts'
import { longestTimeStamp, readTimeStamp } from '../../proof/time-stamp.ts'
import type { Report } from './finding.ts'
import type { Json } from './read.ts'

/** Checks that the time stamp of an anchor is over the hash of its entry; by whom it is signed is for `report.stamps`. */
export function checkStamp(
  shown: Json,
  { entry, hash }: { readonly entry: Uint8Array; readonly hash: string },
  report: Report,
): void {
  const { timeStamp = null, sequence, anchoredAt } = shown
  if (timeStamp === null) {
    if (report.stamps) report.noted('stamp', 'It has no time stamp.')
    return
  }
  const answer = typeof timeStamp === 'string' ? decodeBase64(timeStamp) : null
  const stamp = answer && answer.length <= longestTimeStamp ? readTimeStamp(answer) : null
  if (answer === null || stamp === null) report.failed('stamp', 'The time stamp is malformed.')
  else if (stamp.digest !== hash)
    report.failed('stamp', `The time stamp is over ${stamp.digest}, not ${hash}.`)
  else if (!report.stamps)
    report.noted(
      'stamp',
      `A time stamp of ${new Date(stamp.stampedAt).toISOString()} is over it; its authority was not checked.`,
    )
  else
    report.stamps({
      about: `ledger entry ${String(sequence)}`,
      answer,
      entry,
      stampedAt: stamp.stampedAt,
      anchoredAt: Date.parse(String(anchoredAt)),
    })
}

/** Notes that nothing which can be witnessed covers what is looked at. */
export function noteUnwitnessed(detail: string, report: Report): void {
  if (report.known !== null) report.unchecked('witness', detail)
  if (report.stamps) report.noted('stamp', detail)
}
