import type { CaseAnswer } from '@countersign/client'
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../client/api.ts'
import { type Reading, useRead } from '../client/use-read.ts'
import { isSameVersion } from './deciding.ts'

/** A case, read again and again: as it is drawn, and as it is. */
export interface WatchedCase {
  readonly reading: Reading<CaseAnswer>
  /** What is drawn; while the case is open another version is drawn only when it is asked for. */
  readonly shown: ReadonlySignal<CaseAnswer | null>
  readonly latest: ReadonlySignal<CaseAnswer | null>
  /** What was drawn before `show`, to tell what is new. */
  readonly before: ReadonlySignal<CaseAnswer | null>
  /** Takes a case as a refusal told it. */
  note(found: CaseAnswer): void
  /** Takes and draws the answer of an own act. */
  take(answer: CaseAnswer): void
  /** Draws the latest. */
  show(): void
}

const everyMs = 2_000

/** Of a case that stays the same while the component is drawn. */
export function useCase(reviewCaseId: string): WatchedCase {
  const reading = useRead(
    reviewCaseId,
    (signal) => api.reviewCases.read({ reviewCaseId }, { signal }),
    { everyMs },
  )
  const shown = useSignal<CaseAnswer | null>(null)
  const latest = useSignal<CaseAnswer | null>(null)
  const before = useSignal<CaseAnswer | null>(null)

  function note(found: CaseAnswer): void {
    const known = latest.peek()
    // An answer that was under way during a write may be older than that of the write.
    if (known && (isOlder(found, known) || isUnchanged(known, found))) return
    latest.value = found
    const drawn = shown.peek()
    if (drawn === null || drawn.state !== 'open') shown.value = found
  }

  const found = reading.data.value
  useEffect(() => {
    if (found) note(found)
  }, [found])

  return {
    reading,
    shown,
    latest,
    before,
    note,
    take: (answer) => {
      note(answer)
      before.value = null
      shown.value = latest.peek()
    },
    show: () => {
      before.value = shown.peek()
      shown.value = latest.peek()
    },
  }
}

function isOlder(one: CaseAnswer, other: CaseAnswer): boolean {
  return one.eventSequence < other.eventSequence
}

/** The same reading again: the document that was drawn and digested stays the very same. */
function isUnchanged(one: CaseAnswer, other: CaseAnswer): boolean {
  return (
    isSameVersion(one, other) &&
    one.state === other.state &&
    (one.presentation === null) === (other.presentation === null)
  )
}
