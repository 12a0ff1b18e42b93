import type { QueuedCaseAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { plainLine } from '../case/safe-text.ts'
import { decisionOf, reasonOf } from '../case/words.ts'
import { serverNow } from '../client/api.ts'
import { useApplicationNames, useDeactivated } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useKeys } from '../parts/keys.ts'
import { later } from '../parts/later.tsx'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { Rows } from '../parts/rows.tsx'
import { lengthOf } from '../parts/time.tsx'
import { TimeLeft } from '../parts/time-left.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin, may, session } from '../session.ts'
import { ClaimNext } from './claim-next.tsx'
import { filterOf, idleMinutes, type QueueFilter, queryOf } from './filters.ts'
import { keepOrder } from './neighbours.ts'
import { type DrawnRow, newsOf, newsText } from './news.ts'
import { QueueFilters } from './queue-filters.tsx'
import { mostRows, type QueuePart, readQueue, rowsOfLoad } from './read-queue.ts'
import { stepThroughRows } from './row-keys.ts'
import { useSelection } from './selection.tsx'
import { useClaim } from './use-claim.ts'
import { useFirstInView } from './use-first-in-view.ts'

const Bulk = later(() => import('./bulk.tsx'))

/** The cases that wait for a reviewer, by when they are due; nothing in it moves unless it is asked to. */
export default function QueuePage() {
  const { query } = useLocation()
  const filter = filterOf(query)
  return <Queue key={queryOf(filter)} filter={filter} />
}

function Queue({ filter }: { readonly filter: QueueFilter }) {
  const applications = useApplicationNames()
  const deactivated = useDeactivated()
  const memberId = session.value?.member.memberId ?? ''
  const loads = useSignal(1)
  const drawn = useSignal<QueuePart | null>(null)
  const reading = useRead('queue', (signal) => readQueue(filter, loads.value, signal), {
    everyMs: 5_000,
    sharedAs: `queue ${queryOf(filter)} ${loads.value}`,
  })
  const found = reading.data.value
  const claim = useClaim(filter, (row) => {
    replace(row)
    reading.again()
  })

  const show = () => {
    if (found) drawn.value = found
  }
  function replace(row: QueuedCaseAnswer): void {
    const part = drawn.peek()
    if (!part) return
    drawn.value = {
      ...part,
      rows: part.rows.map((one) => (one.reviewCaseId === row.reviewCaseId ? row : one)),
    }
  }
  useEffect(() => {
    // The first rows, and those that More brought below them, push nothing away.
    const before = drawn.peek()
    if (!found) return
    const known = new Set(before?.rows.map(({ reviewCaseId }) => reviewCaseId))
    if (!before || before.rows.length === 0) drawn.value = found
    else if (
      found.rows.length > before.rows.length &&
      loads.value > Math.ceil(known.size / rowsOfLoad)
    ) {
      const last = before.rows.at(-1)?.dueAt ?? ''
      const more = found.rows.filter((row) => !known.has(row.reviewCaseId) && row.dueAt >= last)
      drawn.value = { ...found, rows: [...before.rows, ...more] }
    }
  }, [found])

  // The first rows are drawn as they come: without them the list would say, for one frame, that nothing waits.
  const part = drawn.value?.rows.length ? drawn.value : found
  const { rows, news } = newsOf(
    part?.rows ?? [],
    found?.rows ?? part?.rows ?? [],
    found?.isWhole ?? true,
  )
  const told = newsText(news)
  const inView = useFirstInView(rows)
  useEffect(() => keepOrder(rows.map(({ row }) => row.reviewCaseId)), [part])
  const selection = useSelection(rows)
  const maySelect = !isSandbox && isAdmin.value && !filter.state
  const mayClaim = !isSandbox && (may('Review Cases') || isAdmin.value)
  useKeys({
    j: { does: 'next row', run: () => stepThroughRows(1) },
    k: { does: 'row before', run: () => stepThroughRows(-1) },
    u: { does: 'show what is new', run: show },
    c: {
      does: 'claim the case of the row',
      run: ({ repeat }) => void (!repeat && claim.focused(rows)),
    },
    ...(maySelect && { x: { does: 'select the case of the row', run: selection.toggleFocused } }),
  })
  return (
    <Page
      title="Queue"
      tab={found ? `(${found.totalCount}) Queue` : 'Queue'}
      acts={mayClaim && <ClaimNext claim={claim} />}
    >
      <QueueFilters filter={filter} applications={applications} />
      <div role="status" class="queue-news">
        {told !== '' && (
          <button type="button" class="news" onClick={show}>
            {told} · show <kbd>U</kbd>
          </button>
        )}
      </div>
      <p role="status" class="said">
        {claim.said.value}
      </p>
      <Shown of={reading}>
        {() =>
          rows.length === 0 ? (
            <Empty>{emptyText(filter)}</Empty>
          ) : (
            <>
              {maySelect && (
                <Bulk
                  selection={selection}
                  onDone={() => {
                    selection.clear()
                    reading.again()
                  }}
                />
              )}
              <Rows
                caption="Cases"
                keyOf={({ row }) => row.reviewCaseId}
                rows={inView}
                columns={[
                  ...(maySelect ? [selection.column] : []),
                  {
                    head: filter.state && filter.state !== 'open' ? 'Outcome' : 'Due',
                    cell: (one) => <Due {...one} />,
                  },
                  { head: 'Tier', cell: ({ row }) => <Tier tier={row.reviewTier} /> },
                  {
                    head: 'What (application’s words)',
                    cell: ({ row }) => (
                      <a
                        data-row={row.reviewCaseId}
                        href={to(`/cases/${encodeURIComponent(row.reviewCaseId)}`)}
                      >
                        {row.title === null
                          ? `Case: ${reasonOf(row.reasonCategory)}`
                          : plainLine(row.title)}
                      </a>
                    ),
                  },
                  {
                    head: 'Application',
                    cell: ({ row }) => plainLine(row.applicationName ?? row.applicationId),
                  },
                  {
                    head: 'With',
                    cell: (one) => <With {...one} memberId={memberId} deactivated={deactivated} />,
                  },
                ]}
              />
              {part && found && inView.length === rows.length && (
                <p class="quiet">
                  {rows.length} of {found.totalCount.toLocaleString()}{' '}
                  {!found.isWhole &&
                    (rows.length < mostRows ? (
                      <button
                        type="button"
                        onClick={() => {
                          loads.value++
                          reading.again()
                        }}
                      >
                        More
                      </button>
                    ) : (
                      '· filters show the others'
                    ))}
                </p>
              )}
            </>
          )
        }
      </Shown>
    </Page>
  )
}

function Due({ row, hasEnded }: DrawnRow) {
  if (row.state !== 'open') return <>{decisionOf(row.decision ?? row.state)}</>
  if (hasEnded) return <s>ended, or not in this list any more</s>
  return (
    <>
      {row.overdue && <strong class="bad">overdue </strong>}
      <TimeLeft until={row.dueAt} />
    </>
  )
}

function Tier({ tier }: { readonly tier: string }) {
  return <span class={`tier ${tier}`}>{tier}</span>
}

function With({
  row,
  memberId,
  deactivated,
}: DrawnRow & { readonly memberId: string; readonly deactivated: ReadonlySet<string> }) {
  const { assignee, followUp, idleSince } = row
  const idleMs = idleSince === null ? 0 : serverNow() - Date.parse(idleSince)
  const name = assignee && plainLine(assignee.name ?? assignee.memberId)
  return (
    <>
      {assignee === null ? '–' : assignee.memberId === memberId ? <strong>you</strong> : name}
      {assignee && deactivated.has(assignee.memberId) && (
        <strong class="bad"> deactivated: an admin can hand it over</strong>
      )}
      {followUp !== null && (
        <span class="quiet"> · {followUp === 'answered' ? 'answered' : 'question open'}</span>
      )}
      {idleMs >= idleMinutes * 60_000 && (
        <span class="quiet"> · no step for {lengthOf(idleMs)}</span>
      )}
    </>
  )
}

function emptyText({ view, state }: QueueFilter): string {
  if (state) return 'No cases are in this state.'
  switch (view) {
    case 'mine':
      return 'You have no open cases. Take one from those that nobody has.'
    case 'overdue':
      return 'No case is overdue.'
    case 'answered':
      return 'None of your questions were answered since.'
    case 'idle':
      return `No reviewer has left a case for ${idleMinutes} minutes.`
    default:
      return 'No case waits. A case appears here as soon as an application asks for a decision.'
  }
}
