import type { CaseAnswer, CaseRowAnswer, QueuedCaseAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Shown } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import type { Names } from './names.ts'
import { askedOf } from './parts.ts'
import { plainLine } from './safe-text.ts'
import { decisionOf } from './words.ts'

/** Ended cases that are shown of a session or an application. */
const mostEnded = 5
/** Cases of a session that are read, the newest. */
const readOfSession = 20
/** Decided cases of the application among which those of a tool are looked for. */
const readOfTool = 50

interface RelatedProps {
  readonly shown: CaseAnswer
  readonly names: Names
}

/** The session's other cases, and when it is asked for the application's latest and those of the tool, with what became of each. */
export function Related({ shown, names }: RelatedProps) {
  const isOpen = useSignal(false)
  const { sessionId, applicationId, reviewCaseId } = shown
  const tool = toolOf(shown)
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
      {tool !== null && <OfTool tool={tool} shown={shown} names={names} />}
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

/** How the application's cases of the same tool were decided. */
function OfTool({ tool, shown, names }: RelatedProps & { readonly tool: string }) {
  const isOpen = useSignal(false)
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>
        Decisions on <bdi>{plainLine(tool, 80)}</bdi>
      </summary>
      {isOpen.value && <Decided tool={tool} shown={shown} names={names} />}
    </details>
  )
}

function Decided({
  tool,
  shown: { applicationId, reviewCaseId },
  names,
}: RelatedProps & { readonly tool: string }) {
  const asked = { state: 'decided', sort: '-dueAt', applicationId, pageSize: readOfTool } as const
  const reading = useRead(`tool ${reviewCaseId}`, async (signal) =>
    api.portal.listQueue(asked, { signal }),
  )
  return (
    <Shown of={reading}>
      {({ queue }) => {
        const same = queue.filter((row) => row.tool === tool && row.reviewCaseId !== reviewCaseId)
        return same.length === 0 ? (
          <p class="quiet">There are none among the last {readOfTool} of the application.</p>
        ) : (
          <ul class="related">
            {same.slice(0, mostEnded).map((row) => (
              <li key={row.reviewCaseId}>
                <a href={to(`/cases/${encodeURIComponent(row.reviewCaseId)}`)}>
                  {plainLine(row.title ?? tool)}
                </a>{' '}
                {endOf(row, names)}{' '}
                <span class="quiet">
                  <Time at={row.createdAt} />
                </span>
              </li>
            ))}
          </ul>
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

/** Only who has a case decides it. */
const endOf = ({ decision, state, assignee }: QueuedCaseAnswer, names: Names) =>
  `${decisionOf(decision ?? state)}${assignee ? ` by ${names.member(assignee.memberId)}` : ''}`

/** The tool that the case wants to call, as the queue tells it. */
function toolOf({ presentation, adopted }: CaseAnswer): string | null {
  const { action } = askedOf(presentation, adopted)
  const tool = typeof action === 'object' && action !== null ? Reflect.get(action, 'tool') : null
  return typeof tool === 'string' && tool.trim() !== '' ? tool.trim() : null
}

const othersOf = (rows: readonly CaseRowAnswer[], reviewCaseId: string) =>
  rows.filter((row) => row.reviewCaseId !== reviewCaseId)
