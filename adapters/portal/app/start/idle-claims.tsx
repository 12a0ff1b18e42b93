import type { QueuedCaseAnswer } from '@countersign/client'
import { plainLine } from '../case/safe-text.ts'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { caseColumn } from '../queue/case-column.tsx'
import { idleMinutes } from '../queue/filters.ts'

const columns: readonly Column<QueuedCaseAnswer>[] = [
  caseColumn,
  { head: 'With', cell: ({ assignee }) => plainLine(assignee?.name ?? assignee?.memberId ?? '–') },
  { head: 'Last step', cell: ({ idleSince }) => <Time at={idleSince} /> },
  { head: 'Due', cell: ({ dueAt }) => <Time at={dueAt} /> },
]

/** Claimed cases with which nothing was done for a while, for admins, who can hand them over. */
export function IdleClaims() {
  const asked = { idleMinutes, pageSize: 5 }
  const read = useRead('idle claims', (signal) => api.portal.listQueue(asked, { signal }), {
    everyMs: 30_000,
  })
  return (
    <section aria-labelledby="idle-claims">
      <h2 id="idle-claims">Claims without a step for {idleMinutes} minutes</h2>
      <Shown of={read}>
        {({ queue, totalCount }) =>
          totalCount === 0 ? (
            <Empty>No reviewer keeps a case waiting.</Empty>
          ) : (
            <>
              <Rows
                caption="Claims without a step"
                columns={columns}
                rows={queue}
                keyOf={({ reviewCaseId }) => reviewCaseId}
              />
              <a href={to('/queue?view=idle')}>
                {totalCount === 1 ? 'Hand it over' : `Hand over some of the ${totalCount}`}
              </a>
            </>
          )
        }
      </Shown>
    </section>
  )
}
