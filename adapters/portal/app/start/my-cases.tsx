import type { QueuedCaseAnswer } from '@countersign/client'
import { plainLine } from '../case/safe-text.ts'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { caseColumn } from '../queue/case-column.tsx'
import { session } from '../session.ts'

const columns: readonly Column<QueuedCaseAnswer>[] = [
  caseColumn,
  {
    head: 'Due',
    cell: ({ dueAt, overdue }) => (
      <>
        <Time at={dueAt} />
        {overdue && <span class="bad"> overdue</span>}
      </>
    ),
  },
  { head: 'Tier', cell: ({ reviewTier }) => reviewTier },
  {
    head: 'Application',
    cell: ({ applicationName, applicationId }) => plainLine(applicationName ?? applicationId),
  },
]

/** The open cases that the member has taken, by when they are due. */
export function MyCases() {
  const memberId = session.value?.member.memberId ?? ''
  const asked = { assignee: memberId, state: 'open', sort: 'dueAt', pageSize: 10 } as const
  const read = useRead(memberId, (signal) => api.portal.listQueue(asked, { signal }), {
    everyMs: 5_000,
  })
  return (
    <section aria-labelledby="my-cases">
      <h2 id="my-cases">Your cases</h2>
      <Shown of={read}>
        {({ queue, totalCount }) =>
          totalCount === 0 ? (
            <Empty>
              <p>You have no open case.</p>
              <a href={to('/queue?view=unassigned')}>See what nobody has taken yet</a>
            </Empty>
          ) : (
            <>
              <Rows
                caption="Your cases"
                columns={columns}
                rows={queue}
                keyOf={({ reviewCaseId }) => reviewCaseId}
              />
              {totalCount > queue.length && <a href={to('/queue?view=mine')}>All {totalCount}</a>}
            </>
          )
        }
      </Shown>
    </section>
  )
}
