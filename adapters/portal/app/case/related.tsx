import type { CaseAnswer, CaseRowAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Shown } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import type { Names } from './names.ts'
import { plainLine } from './safe-text.ts'
import { decisionOf } from './words.ts'

/** Ended cases that are shown of a session or an application. */
const mostEnded = 5
/** Cases of a session that are read, the newest. */
const readOfSession = 20

interface RelatedProps {
  readonly shown: CaseAnswer
  readonly names: Names
}

/** The session's other cases, and when it is asked for the application's latest, with what became of each. */
export function Related({ shown, names }: RelatedProps) {
  const isOpen = useSignal(false)
  const { sessionId, applicationId, reviewCaseId } = shown
  const reading = useRead(`related ${reviewCaseId}`, async (signal) =>
    api.reviewCases.list({ sessionId, applicationId, pageSize: readOfSession }, { signal }),
  )
  return (
    <>
      <h3>Other cases of this session</h3>
      <Shown of={reading}>
        {({ reviewCases, totalCount }) => {
          const others = othersOf(reviewCases, reviewCaseId)
          const ended = others.filter(({ state }) => state !== 'open')
          const listed = [
            ...others.filter(({ state }) => state === 'open'),
            ...ended.slice(0, mostEnded),
          ]
          const more = totalCount - 1 - listed.length
          return listed.length === 0 ? (
            <p class="quiet">There are none.</p>
          ) : (
            <>
              <Cases rows={listed} names={names} />
              {more > 0 && <p class="quiet">And {more} before these.</p>}
            </>
          )
        }}
      </Shown>
      <details
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open
        }}
      >
        <summary>Latest cases of the application</summary>
        {isOpen.value && <OfApplication shown={shown} names={names} />}
      </details>
    </>
  )
}

function OfApplication({ shown: { applicationId, reviewCaseId }, names }: RelatedProps) {
  const reading = useRead(`latest ${reviewCaseId}`, async (signal) =>
    api.reviewCases.list({ applicationId, pageSize: mostEnded + 1 }, { signal }),
  )
  return (
    <Shown of={reading}>
      {({ reviewCases }) => {
        const others = othersOf(reviewCases, reviewCaseId).slice(0, mostEnded)
        return others.length === 0 ? (
          <p class="quiet">There are none.</p>
        ) : (
          <Cases rows={others} names={names} />
        )
      }}
    </Shown>
  )
}

function Cases({
  rows,
  names,
}: {
  readonly rows: readonly CaseRowAnswer[]
  readonly names: Names
}) {
  return (
    <ul class="related">
      {rows.map((row) => (
        <li key={row.reviewCaseId}>
          <a href={to(`/cases/${encodeURIComponent(row.reviewCaseId)}`)}>
            {plainLine(row.checkpoint.checkpointId)}
          </a>{' '}
          {outcomeOf(row, names)}{' '}
          <span class="quiet">
            <Time at={row.closedAt ?? row.createdAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function outcomeOf({ state, decision, decidedBy, assignment }: CaseRowAnswer, names: Names) {
  if (state !== 'open') {
    const by = decidedBy === null ? '' : ` by ${names.member(decidedBy)}`
    return `${decisionOf(decision ?? state)}${by}`
  }
  return assignment === null ? 'Open' : `Open, with ${names.member(assignment.reviewerId)}`
}

const othersOf = (rows: readonly CaseRowAnswer[], reviewCaseId: string) =>
  rows.filter((row) => row.reviewCaseId !== reviewCaseId)
