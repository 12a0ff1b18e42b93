import type { ApplicationAnswer } from '@countersign/client'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { healths } from './words.ts'

const columns: readonly Column<ApplicationAnswer>[] = [
  {
    head: 'Name',
    cell: ({ applicationId, name }) => (
      <a href={to(`/applications/${applicationId}`)}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { head: 'Stage', cell: ({ stage }) => stage },
  { head: 'Health', cell: ({ health }) => (health ? healths[health.status] : '–') },
  {
    head: 'Outcomes go to',
    cell: ({ outcomeCallback }) =>
      outcomeCallback ? <code>{outcomeCallback.url}</code> : <span class="quiet">nowhere yet</span>,
  },
  { head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

const pageSize = 50

export default function ApplicationsPage() {
  const { query } = useLocation()
  const page = Math.max(1, Number.parseInt(query.page ?? '1', 10) || 1)
  const read = useRead(
    `applications ${page}`,
    async (signal) => api.applications.list({ page, pageSize }, { signal }),
    { everyMs: 5_000 },
  )
  const mayCreate = isAdmin.value && !isSandbox
  return (
    <Page
      title="Applications"
      acts={mayCreate && <a href={to('/applications/new')}>New application</a>}
    >
      <p class="quiet">
        An application that is to be removed is not listed; its page stays at its address, from
        which the removal can be cancelled.
      </p>
      <Shown of={read}>
        {({ applications, totalCount, hasMore }) =>
          totalCount === 0 ? (
            <Empty>
              <p>There is no application yet, so nothing can ask for a decision.</p>
              {mayCreate ? (
                <a href={to('/applications/new')}>Add the first application</a>
              ) : (
                <p class="quiet">An admin can add one.</p>
              )}
            </Empty>
          ) : (
            <>
              <Rows
                caption="Applications"
                columns={columns}
                rows={applications}
                keyOf={({ applicationId }) => applicationId}
              />
              <p class="acts">
                <span>{totalCount} in all</span>
                {page > 1 && <a href={to(`/applications?page=${page - 1}`)}>Back</a>}
                {hasMore && <a href={to(`/applications?page=${page + 1}`)}>More</a>}
              </p>
            </>
          )
        }
      </Shown>
    </Page>
  )
}
