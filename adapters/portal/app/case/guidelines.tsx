import type { CaseAnswer } from '@countersign/client'
import { useRef } from 'preact/hooks'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Failure } from '../parts/failure.tsx'
import { Time } from '../parts/time.tsx'
import { Text } from './text.tsx'

/** Guidelines that were shown open since this page was loaded, by application: which edition, and at which case. */
const shownOpen = new Map<string, { readonly edition: string; readonly reviewCaseId: string }>()

/** What the application's reviewers are asked to go by; open at the first case that shows it, folded at the others. */
export function Guidelines({
  shown: { applicationId, reviewCaseId },
}: {
  readonly shown: CaseAnswer
}) {
  const reading = useRead(applicationId, (signal) =>
    api.reviewerGuidelines.read({ applicationId }, { signal }),
  )
  const found = reading.data.value
  if (found?.guidelines == null || found.guidelines.trim() === '')
    return <Failure error={reading.error.value} again={reading.again} />
  return (
    <Folded
      key={found.updatedAt}
      text={found.guidelines}
      updatedAt={found.updatedAt}
      isFirst={isFirst(applicationId, reviewCaseId, found.updatedAt ?? '')}
    />
  )
}

function Folded({
  text,
  updatedAt,
  isFirst,
}: {
  readonly text: string
  readonly updatedAt: string | null
  readonly isFirst: boolean
}) {
  // What the reader unfolds or folds stays so when the page is drawn again.
  const begins = useRef(isFirst)
  return (
    <details class="guidelines" open={begins.current}>
      <summary>Guidelines for reviewers</summary>
      <p>
        <Text text={text} />
      </p>
      <p class="quiet">
        Of <Time at={updatedAt} />
      </p>
    </details>
  )
}

function isFirst(applicationId: string, reviewCaseId: string, edition: string): boolean {
  const before = shownOpen.get(applicationId)
  if (before?.edition === edition) return before.reviewCaseId === reviewCaseId
  shownOpen.set(applicationId, { edition, reviewCaseId })
  return true
}
