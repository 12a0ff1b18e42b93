import type { InspectedEventAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Page, type PageProps, Shown } from '../parts/page.tsx'
import { Raw } from '../parts/raw.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { answerOf } from './delivery-words.ts'
import { StatusWord } from './status-word.tsx'

type Owed = InspectedEventAnswer['deliveries'][number]

const columns: readonly Column<Owed>[] = [
  {
    head: 'Webhook',
    cell: ({ webhookId, eventId }) => (
      <a href={to(`/webhooks/${webhookId}/${eventId}`)}>
        <code>{webhookId}</code>
      </a>
    ),
  },
  { head: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
  { head: 'Tries', cell: ({ attempts }) => attempts },
  {
    head: 'Last answer',
    cell: ({ lastResponseStatus, lastError, lastAttemptAt }) =>
      answerOf(lastResponseStatus, lastError, lastAttemptAt !== null),
  },
  { head: 'Last try', cell: ({ lastAttemptAt }) => <Time at={lastAttemptAt} exact /> },
  { head: 'Next try', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} exact /> },
]

export default function EventPage({ params }: PageProps) {
  const { eventId = '' } = params ?? {}
  const read = useRead(
    `event ${eventId}`,
    (signal) => api.reviewEvents.read({ eventId }, { signal }),
    { everyMs: 5_000 },
  )
  return (
    <Page key={eventId} title="Event">
      <p>
        <code>{eventId}</code>
      </p>
      <Shown of={read}>
        {({ event, deliveries }) => (
          <>
            <section aria-labelledby="owed">
              <h2 id="owed">At each webhook</h2>
              {deliveries.length === 0 ? (
                <Empty>
                  <p>No webhook is owed this event any more.</p>
                </Empty>
              ) : (
                <Rows
                  caption="Deliveries"
                  columns={columns}
                  rows={deliveries}
                  keyOf={({ deliveryId }) => deliveryId}
                />
              )}
            </section>
            <section aria-labelledby="event">
              <h2 id="event">Event</h2>
              <Raw text={JSON.stringify(event, null, 2)} label="Its members" />
            </section>
          </>
        )}
      </Shown>
      <p>
        <a href={to('/webhooks')}>All webhooks</a>
      </p>
    </Page>
  )
}
