import type { DeliveryAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useFilters } from '../filters.ts'
import { Choice } from '../parts/field.tsx'
import { useKeys } from '../parts/keys.ts'
import { Moment } from '../parts/moment.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { answerOf, deliveredTypes, listed, statusWords, typeWords } from './delivery-words.ts'
import { sendsAgain } from './rights.ts'
import { rowKeys } from './row-keys.ts'
import { StatusWord } from './status-word.tsx'

type Asked = Parameters<typeof api.webhooks.listDeliveries>[0]

/** What a webhook was owed, narrowed down by the address of the page. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const { of, hrefWith, set } = useFilters()
  const { from, until, after } = of
  const status = listed.find((each) => each === of.status)
  const type = deliveredTypes.find((each) => each === of.type) as Asked['type']
  const asked: Asked = { webhookId, status, type, from, until, after, limit: 20 }
  const read = useRead(
    JSON.stringify(asked),
    (signal) => api.webhooks.listDeliveries(asked, { signal }),
    { everyMs: 5_000 },
  )
  useKeys(rowKeys)
  const isNarrowed = Boolean(status ?? type ?? from ?? until)
  /** Narrows down anew, from the newest on. */
  const narrow = (changes: Parameters<typeof set>[0]) => set({ ...changes, after: undefined })
  return (
    <section aria-labelledby="deliveries">
      <header class="page-head">
        <h2 id="deliveries">Deliveries</h2>
        {sendsAgain() && <a href={to(`/webhooks/${webhookId}/recover`)}>Recover what failed</a>}
      </header>
      <search class="filters">
        <Choice
          label="Status"
          name="status"
          value={status ?? ''}
          options={[['', 'all'], ...listed.map((each) => [each, statusWords[each]] as const)]}
          onChange={(event) => narrow({ status: event.currentTarget.value })}
        />
        <Choice
          label="Event"
          name="type"
          value={type ?? ''}
          options={[['', 'all'], ...deliveredTypes.map((each) => [each, each] as const)]}
          onChange={(event) => narrow({ type: event.currentTarget.value })}
        />
        <Moment label="From" at={from} onChange={(at) => narrow({ from: at })} />
        <Moment label="Until" at={until} onChange={(at) => narrow({ until: at })} />
      </search>
      <Shown of={read}>
        {({ rows, next, totalCount }) => (
          <>
            {rows.length === 0 ? (
              <Empty>
                <p>
                  {isNarrowed
                    ? 'Nothing fits these filters.'
                    : 'Nothing was sent here yet. “Send a test” shows whether the receiver answers.'}
                </p>
                {isNarrowed && <a href={to(`/webhooks/${webhookId}`)}>Show all deliveries</a>}
              </Empty>
            ) : (
              <Rows
                caption="Deliveries"
                columns={columnsOf(webhookId)}
                rows={rows}
                keyOf={({ deliveryId }) => deliveryId}
              />
            )}
            <p class="acts">
              <span>{totalCount > 10_000 ? 'More than 10,000' : totalCount} in all</span>
              {after && <a href={hrefWith({ after: undefined })}>Newest</a>}
              {next && <a href={hrefWith({ after: next })}>Older</a>}
            </p>
          </>
        )}
      </Shown>
    </section>
  )
}

function columnsOf(webhookId: string): readonly Column<DeliveryAnswer>[] {
  return [
    {
      head: 'Event',
      cell: ({ eventId, eventType }) => (
        <a data-row={eventId} href={to(`/webhooks/${webhookId}/${eventId}`)}>
          {typeWords(eventType)}
        </a>
      ),
    },
    { head: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
    { head: 'At', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      head: 'Tries',
      cell: ({ attempts, round }) => (round > 1 ? `${attempts}, round ${round}` : attempts),
    },
    {
      head: 'Last answer',
      cell: ({ lastResponseStatus, lastError, lastAttemptAt }) =>
        answerOf(lastResponseStatus, lastError, lastAttemptAt !== null),
    },
    { head: 'Next try', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
  ]
}
