import type { InspectedEventAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Page, type PageProps, Shown } from '../parts/page.tsx'
import { Raw } from '../parts/raw.tsx'
import { type Column, Facts, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { answerOf, typeWords } from './delivery-words.ts'
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
      <Shown of={read}>
        {({ event, deliveries }) => (
          <>
            <Facts
              facts={[
                ['What', typeWords(String(event.type))],
                ['Id', <code key="id">{eventId}</code>],
                ['At', <Time key="at" at={String(event.time)} exact />],
              ]}
            />
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
              <h2 id="event">As it is sent</h2>
              <Raw text={JSON.stringify(event, null, 2)} label="Members of the event" />
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
