import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { isObject } from '../../base/events/shape.ts'
import { canonicalBytes } from '../../proof/signed-text.ts'
import { createReport } from './finding.ts'
import type { ListCheck } from './lists.ts'
import { bytesOrNull, type Json, msOf, numberOf, objectsAt, textOf } from './read.ts'
import { mostSkewMs } from './times.ts'

/** Recorded steps of cases, compared with the lines that tell them once more. */
export interface CaseEvents extends ListCheck {
  /** Takes the history of a case, whose lines come behind it. */
  expect(review: Json): void
}

/**
 * Checks that the lines of a case are the steps of its history, and no line is of a case that was not listed; `toldAt`:
 * when the pack was made, ISO 8601. Lines are written later, so that cases may have further steps, and new ones come.
 */
export function checkCaseEvents(toldAt: string): CaseEvents {
  const report = createReport('review events')
  const before = msOf(toldAt) - mostSkewMs
  const expected = new Map<unknown, { readonly count: number; readonly digest: string | null }>()
  let current: { readonly reviewCaseId: unknown; readonly lines: unknown[][] } | null = null

  function finish(): void {
    if (current === null) return
    const { reviewCaseId, lines } = current
    const history = expected.get(reviewCaseId)
    expected.delete(reviewCaseId)
    const digest = history && digestOf(lines.slice(0, history.count))
    if (history && (digest === null || digest !== history.digest))
      report
        .on(`review case ${textOf(reviewCaseId)}`)
        .failed('record', 'Its lines are not the steps of its history.')
    const known = history?.count ?? 0
    const isNew = lines.every((line, at) => at < known || isNext(line, lines[at - 1]))
    if (!isNew)
      report
        .on(`review case ${textOf(reviewCaseId)}`)
        .failed(
          'record',
          history
            ? 'A further line of it is older than the pack, or tells a step twice.'
            : 'It has lines, and is told twice or in no list of cases.',
        )
  }

  /** Whether a line is of a step that came while the pack was made, after the one of another line. */
  function isNext([sequence, , , at]: readonly unknown[], last: readonly unknown[] = []): boolean {
    return sequenceOf(sequence) > sequenceOf(last[0]) && msOf(at) > before
  }

  return {
    findings: report.all,
    expect(review) {
      const lines = (objectsAt(review, 'history') ?? []).map(lineOf)
      expected.set(review.reviewCaseId, { count: lines.length, digest: digestOf(lines) })
    },
    add(event) {
      if (!isObject(event)) return report.failed('form', 'Expected a step of a review case.')
      const { reviewCaseId } = event
      // The first line may have none, which is no current case.
      if (current === null || current.reviewCaseId !== reviewCaseId) {
        finish()
        current = { reviewCaseId, lines: [] }
      }
      current?.lines.push(lineOf(event))
    },
    end() {
      finish()
      const untold = [...expected.values()].filter(({ count }) => count > 0).length
      if (untold > 0)
        report.unchecked(
          'record',
          `${untold} cases have no lines: they were removed while the pack was made, or their lines were left out.`,
        )
    },
  }
}

function lineOf({ eventSequence, caseVersion, step, at, actor }: Json): unknown[] {
  return [eventSequence, caseVersion, step, at, actor].map((each) => each ?? null)
}

function sequenceOf(value: unknown): number {
  return Number.isSafeInteger(value) ? numberOf(value) : 0
}

/** Null for lines that have no canonical form, which are those of no case. */
function digestOf(lines: readonly unknown[]): string | null {
  return bytesOrNull(() => bytesToHex(sha256(canonicalBytes(lines))))
}
