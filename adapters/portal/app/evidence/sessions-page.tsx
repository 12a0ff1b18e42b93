import type { SessionAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useApplicationNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useFilters } from '../filters.ts'
import { Choice } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { DownloadList } from './download-list.tsx'
import { sessionPath } from './session-path.ts'
import { originWords, statusWords } from './words.ts'

type Asked = NonNullable<Parameters<typeof api.sessions.list>[0]>

const statuses = ['running', 'completed', 'failed'] as const
const origins = ['otlp', 'submission'] as const

/** Sessions, narrowed down by the address of the page. */
export default function SessionsPage() {
  const { of, set } = useFilters()
  const page = usePage()
  const names = useApplicationNames()
  const { from, until, dataSubjectId } = of
  const asked: Asked = {
    applicationId: of.applicationId,
    status: statuses.find((one) => one === of.status),
    origin: origins.find((one) => one === of.origin),
    from,
    until,
    dataSubjectId,
    flagged: of.only === 'flagged' || undefined,
    openReview: of.only === 'openReview' || undefined,
    page,
    pageSize: 50,
  }
  const read = useRead(JSON.stringify(asked), (signal) => api.sessions.list(asked, { signal }))
  const narrow = (changes: Parameters<typeof set>[0]) => set({ ...changes, page: undefined })
  const isNarrowed = Object.keys(of).some((name) => name !== 'page')
  return (
    <Page title="Sessions" acts={<a href={to('/evidence/packages')}>Packages</a>}>
      <DownloadList />
      <search class="filters">
        <Choice
          label="Application"
          name="applicationId"
          value={of.applicationId ?? ''}
          options={[['', 'all'], ...names]}
          onChange={(event) => narrow({ applicationId: event.currentTarget.value })}
        />
        <Choice
          label="State"
          name="status"
          value={asked.status ?? ''}
          options={[['', 'all'], ...statuses.map((one) => [one, statusWords[one]] as const)]}
          onChange={(event) => narrow({ status: event.currentTarget.value })}
        />
        <Choice
          label="Came as"
          name="origin"
          value={asked.origin ?? ''}
          options={[['', 'all'], ...origins.map((one) => [one, originWords[one]] as const)]}
          onChange={(event) => narrow({ origin: event.currentTarget.value })}
        />
        <Choice
          label="Only"
          name="only"
          value={of.only ?? ''}
          options={[
            ['', 'all'],
            ['flagged', 'with an open flag'],
            ['openReview', 'with an open case'],
          ]}
          onChange={(event) => narrow({ only: event.currentTarget.value })}
        />
        <Moment label="From" at={from} onChange={(at) => narrow({ from: at })} />
        <Moment label="Until" at={until} onChange={(at) => narrow({ until: at })} />
      </search>
      {dataSubjectId && (
        <p>
          Of the data subject <code>{dataSubjectId}</code> alone.
        </p>
      )}
      <Shown of={read}>
        {(list) => (
          <>
            {list.sessions.length === 0 ? (
              <Empty>
                {isNarrowed ? (
                  <>
                    <p>Nothing fits these filters.</p>
                    <a href={to('/evidence')}>Show all sessions</a>
                  </>
                ) : (
                  <p>
                    No session came yet. A backend sends them with a{' '}
                    <a href={to('/keys')}>customer key</a>.
                  </p>
                )}
              </Empty>
            ) : (
              <Rows
                caption="Sessions"
                columns={columnsOf(names)}
                rows={list.sessions}
                keyOf={({ applicationId, sessionId }) => `${applicationId} ${sessionId}`}
              />
            )}
            <Pager of={list} />
            {list.scannedTo !== null && isNarrowed && (
              <p>
                Looked at sessions since <Time at={list.scannedTo} /> alone.{' '}
                <button
                  type="button"
                  onClick={() => narrow({ until: list.scannedTo ?? undefined })}
                >
                  Look further back
                </button>
              </p>
            )}
          </>
        )}
      </Shown>
    </Page>
  )
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<SessionAnswer>[] {
  return [
    {
      head: 'Session',
      cell: (session) => (
        <a href={to(sessionPath(session))}>
          <bdi>{session.sessionId}</bdi>
        </a>
      ),
    },
    {
      head: 'Application',
      cell: ({ applicationId }) => <bdi>{names.get(applicationId) ?? applicationId}</bdi>,
    },
    { head: 'State', cell: ({ status }) => statusWords[status] ?? status },
    { head: 'Began', cell: ({ startedAt }) => <Time at={startedAt} /> },
    {
      head: 'Steps',
      cell: ({ stepCount, errorCount }) =>
        errorCount > 0 ? (
          <>
            {stepCount}, <span class="bad">{errorCount} failed</span>
          </>
        ) : (
          stepCount
        ),
    },
    {
      head: 'Asks for attention',
      cell: ({ openFlags, openReviewCases }) =>
        [
          openFlags > 0 && `${openFlags} open ${openFlags === 1 ? 'flag' : 'flags'}`,
          openReviewCases > 0 &&
            `${openReviewCases} open ${openReviewCases === 1 ? 'case' : 'cases'}`,
        ]
          .filter(Boolean)
          .join(', '),
    },
    { head: 'Sealed', cell: ({ sealed }) => (sealed ? 'yes' : 'not yet') },
  ]
}
