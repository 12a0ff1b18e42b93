import type { AuditEntryAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useActors, useMemberNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useFilters } from '../filters.ts'
import { Choice, Field } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Page, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { brokenLink } from './chain.ts'

type Asked = NonNullable<Parameters<typeof api.auditLog.list>[0]>

/** The audit log, narrowed down by the address of the page. */
export default function AuditPage() {
  const { of, set } = useFilters()
  const page = usePage()
  const members = useMemberNames()
  const actorOf = useActors()
  const { actor, action, subject, from, until } = of
  const before = Number(of.before) || undefined
  const asked: Asked = { actor, action, subject, from, until, before, page, pageSize: 50 }
  const read = useRead(JSON.stringify(asked), (signal) => api.auditLog.list(asked, { signal }))
  const narrow = (changes: Parameters<typeof set>[0]) =>
    set({ page: undefined, before: undefined, ...changes })
  const isNarrowed = Object.keys(of).some((name) => name !== 'page')
  const error = read.error.value
  return (
    <Page title="Audit log">
      <p class="quiet">
        Each privileged change, in the commit that made it. An entry holds the hash of the one
        before, and none is ever removed.
      </p>
      <search class="filters">
        <Choice
          label="Who"
          name="actor"
          value={actor ?? ''}
          options={[
            ['', 'all'],
            ['system', 'the service'],
            ...[...members].map(([id, name]) => [`member:${id}`, name] as const),
          ]}
          onChange={(event) => narrow({ actor: event.currentTarget.value })}
        />
        <Field
          label="Action"
          name="action"
          value={action ?? ''}
          hint="Such as member.logged_in"
          error={error}
          onChange={(event) => narrow({ action: event.currentTarget.value.trim() })}
        />
        <Field
          label="Subject"
          name="subject"
          value={subject ?? ''}
          hint="The id of what was changed"
          error={error}
          onChange={(event) => narrow({ subject: event.currentTarget.value.trim() })}
        />
        <Moment label="From" at={from} onChange={(at) => narrow({ from: at })} />
        <Moment label="Until" at={until} onChange={(at) => narrow({ until: at })} />
      </search>
      <Shown of={read}>
        {(list) => (
          <>
            <Chain entries={list.entries} />
            {list.entries.length === 0 ? (
              <Empty>
                <p>Nothing fits these filters.</p>
                {isNarrowed && <a href={to('/audit')}>Show the whole log</a>}
              </Empty>
            ) : (
              <Rows
                caption="Audit log"
                columns={columnsOf(actorOf)}
                rows={list.entries}
                keyOf={({ position }) => `${position}`}
              />
            )}
            <Pager of={list} />
            {isNarrowed && list.scannedTo !== null && (
              <p>
                Looked at entries down to number {list.scannedTo}.{' '}
                <button type="button" onClick={() => narrow({ before: String(list.scannedTo) })}>
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

/** Whether the entries that are shown hold one another. */
function Chain({ entries }: { readonly entries: readonly AuditEntryAnswer[] }) {
  const broken = brokenLink(entries)
  if (broken === null) return null
  return (
    <p class="failure" role="alert">
      Entry {broken} does not hold the hash of the one before it: the log was changed.
    </p>
  )
}

function columnsOf(actorOf: (actor: string) => string): readonly Column<AuditEntryAnswer>[] {
  return [
    { head: 'No.', cell: ({ position }) => position },
    { head: 'At', cell: ({ at }) => <Time at={at} exact /> },
    { head: 'Who', cell: ({ actor }) => <bdi title={actor}>{actorOf(actor)}</bdi> },
    { head: 'Action', cell: ({ action }) => <code>{action}</code> },
    { head: 'Subject', cell: ({ subject }) => <code>{subject}</code> },
    {
      head: 'Detail',
      cell: ({ detail, hash }) => (
        <>
          {Object.entries(detail).map(([name, value]) => (
            <div key={name}>
              {name}: <bdi>{String(value ?? '') || 'none'}</bdi>
            </div>
          ))}
          <details>
            <summary>Hash</summary>
            <code>{hash}</code>
          </details>
        </>
      ),
    },
  ]
}
