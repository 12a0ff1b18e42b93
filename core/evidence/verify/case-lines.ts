import { isObject } from '../../base/events/shape.ts'
import { checkCase, isShownEnded } from './cases.ts'
import { createReport, type Finding, type ReviewerKeys, type StampSink } from './finding.ts'
import { type EvidenceKeys, remembering } from './keys.ts'
import type { KnownEvidence } from './known.ts'
import type { ListCheck } from './lists.ts'
import { textOf } from './read.ts'
import { checkKnownEnd } from './witness.ts'

/** What review cases that stand by themselves are checked with. */
export interface CaseLinesGiven {
  readonly keys: EvidenceKeys
  readonly known?: KnownEvidence | null
  /** Takes the time stamps of their anchors; absent or null where no authority is trusted. */
  readonly stamps?: StampSink | null
  /** Keys of reviewers' authenticators; absent or null where none are at hand. */
  readonly reviewers?: ReviewerKeys | null
  /** When the list was made, ISO 8601; absent where nothing says it. */
  readonly toldAt?: string
}

/** Findings that are listed one by one; further ones are counted. */
const mostListed = 100

/**
 * Checks review cases one by one, each with its leaf, path and anchor as in an evidence document. What holds is listed in
 * one finding for all, what does not for each.
 */
export function checkCaseLines({
  keys,
  known = null,
  stamps = null,
  reviewers = null,
  toldAt,
}: CaseLinesGiven): ListCheck {
  const report = createReport('review cases', keys, known)
  const quicker = remembering(keys)
  const seen = new Set<unknown>()
  const place = { tenantId: undefined, applicationId: undefined, sessionId: undefined, toldAt }
  const listed: Finding[] = []
  let [sealed, waiting, witnessed, older, unstamped] = [0, 0, 0, 0, 0]
  let [signed, renamed, recorded] = [0, 0, 0]

  return {
    findings: listed,
    add(review) {
      const each = createReport('review case ?', quicker, known, stamps, reviewers)
      if (!isObject(review)) each.failed('form', 'Expected a review case.')
      else {
        if (seen.has(review.reviewCaseId))
          each.on(`review case ${textOf(review.reviewCaseId)}`).failed('form', 'It is told twice.')
        seen.add(review.reviewCaseId)
        const { applicationId, reviewCaseId } = review
        checkCase(review, place, each)
        if (!isShownEnded(review)) checkKnownEnd({ applicationId, reviewCaseId, toldAt }, each)
      }
      const has = (sought: Finding['check'], result: Finding['result']) =>
        each.all.some((finding) => finding.check === sought && finding.result === result)
      if (has('leaf', 'verified')) sealed++
      else waiting++
      if (has('witness', 'verified')) witnessed++
      if (has('witness', 'noted')) older++
      const isSigned = has('decision', 'verified')
      if (isSigned) signed++
      if (has('decision', 'noted') && isSigned) renamed++
      if (has('decision', 'noted') && !isSigned) recorded++
      if (stamps && has('stamp', 'noted')) unstamped++
      const wrong = each.all.filter(({ result }) => result === 'failed' || result === 'unchecked')
      listed.push(...wrong.slice(0, Math.max(0, mostListed - listed.length)))
    },
    end() {
      if (listed.length > 0) return
      if (sealed + waiting === 0) report.noted('leaf', 'There is no review case.')
      else
        report.verified(
          'leaf',
          `${sealed} review cases tell what was sealed of them; ${waiting} are open or not sealed yet.`,
        )
      if (signed > 0)
        report.verified('decision', `${signed} decisions are signed by their reviewers.`)
      if (renamed > 0)
        report.noted(
          'decision',
          `${renamed} of them were signed while their session had another name.`,
        )
      if (recorded > 0)
        report.noted('decision', `${recorded} decisions are recorded by the service, unsigned.`)
      if (witnessed > 0)
        report.verified('witness', `${witnessed} of them are under what is known from before.`)
      if (older > 0)
        report.noted(
          'witness',
          `${older} of them are told as they were before an end that is known from before, or are under no leaf yet.`,
        )
      if (unstamped > 0) report.noted('stamp', `${unstamped} of them have no time stamp.`)
      listed.push(...report.all)
    },
  }
}
