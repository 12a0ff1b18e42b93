import type { DeliveryAttemptAnswer, InspectedDeliveryAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useFilters } from '../filters.ts'
import { Copy } from '../parts/copy.tsx'
import { useKeys } from '../parts/keys.ts'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { type Column, Facts, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { answerOf, triggers, typeWords } from './delivery-words.ts'
import { Message } from './message.tsx'
import { Replay } from './replay.tsx'
import { seesIntegrations, sendsAgain } from './rights.ts'
import { StatusWord } from './status-word.tsx'
import { Verify } from './verify.tsx'

/** While a delivery is under way it is read so often. */
const everyMs = 2_000

export default function InspectorPage({ params }: PageProps) {
  const { webhookId = '', eventId = '' } = params ?? {}
  const read = useRead(
    `${webhookId} ${eventId}`,
    (signal) => api.webhooks.readDelivery({ webhookId, eventId }, { signal }),
    { everyMs },
  )
  return (
    <Page key={eventId} title="Delivery">
      <Shown of={read}>
        {(inspected) => (
          <Inspected webhookId={webhookId} inspected={inspected} again={read.again} />
        )}
      </Shown>
      <p class="acts">
        <a href={to(`/webhooks/${webhookId}`)}>The webhook</a>
        {seesIntegrations() && <a href={to(`/events/${eventId}`)}>This event at all webhooks</a>}
      </p>
    </Page>
  )
}

function Inspected({
  webhookId,
  inspected,
  again,
}: {
  readonly webhookId: string
  readonly inspected: InspectedDeliveryAnswer
  readonly again: () => void
}) {
  const { of, hrefWith, set } = useFilters()
  const { delivery, attempts, attemptCount, requestBody, schedule } = inspected
  const chosen = attempts.find(({ attemptId }) => attemptId === of.attempt) ?? attempts[0]
  const step = (by: 1 | -1) => {
    const next = chosen && attempts[attempts.indexOf(chosen) + by]
    if (next) set({ attempt: next.attemptId })
  }
  useKeys({
    j: { does: 'the try before', run: () => step(1) },
    k: { does: 'the try after', run: () => step(-1) },
    t: { does: 'to the request', run: () => focusOn('request') },
    y: { does: 'to the response', run: () => focusOn('response') },
  })
  return (
    <>
      <Facts
        facts={[
          ['What', typeWords(delivery.eventType)],
          ['Type', <code key="type">{delivery.eventType}</code>],
          [
            'Event',
            <>
              <code>{delivery.eventId}</code> <Copy text={delivery.eventId} what="the event’s id" />
            </>,
          ],
          ['Status', <StatusWord key="status" status={delivery.status} />],
          ['At', <Time key="at" at={delivery.createdAt} exact />],
          ['Tries', `${delivery.attempts} in round ${delivery.round}`],
          [
            'Last answer',
            answerOf(
              delivery.lastResponseStatus,
              delivery.lastError,
              delivery.lastAttemptAt !== null,
            ),
          ],
          ['Next try', <Time key="next" at={delivery.nextAttemptAt} exact />],
          ...(delivery.deadlineAt
            ? [['Tried until', <Time key="until" at={delivery.deadlineAt} exact />] as const]
            : []),
        ]}
      />
      {delivery.kind === 'event' && sendsAgain() && (
        <Replay webhookId={webhookId} delivery={delivery} again={again} />
      )}
      {delivery.eventType === 'subscription.verification_requested' && (
        <p>
          A challenge is not sent again.{' '}
          <a href={to(`/webhooks/${webhookId}`)}>The webhook’s page</a> sends a new one.
        </p>
      )}
      <section aria-labelledby="attempts">
        <h2 id="attempts">Tries</h2>
        {attempts.length === 0 ? (
          <p>{delivery.attempts === 0 ? 'None was made yet.' : 'None of the last seven days.'}</p>
        ) : (
          <Rows
            caption="Tries"
            columns={columnsOf(chosen, (attempt) => hrefWith({ attempt }))}
            rows={attempts}
            keyOf={({ attemptId }) => attemptId}
          />
        )}
        {attemptCount > attempts.length && (
          <p>
            These are the last {attempts.length} of {attemptCount}.
          </p>
        )}
        {schedule.length > 0 && (
          <>
            <h3>To come, if each fails</h3>
            <ol class="schedule">
              {schedule.map((at) => (
                <li key={at}>
                  <Time at={at} exact />
                </li>
              ))}
            </ol>
          </>
        )}
      </section>
      <Message webhookId={webhookId} body={requestBody} attempt={chosen} />
      {chosen && requestBody !== null && (
        <Verify
          key={chosen.attemptId}
          webhookId={webhookId}
          family={delivery.family}
          headers={chosen.requestHeaders}
          body={requestBody}
        />
      )}
    </>
  )
}

/** The focus goes to a heading. */
function focusOn(id: string): void {
  document.getElementById(id)?.focus()
}

function columnsOf(
  chosen: DeliveryAttemptAnswer | undefined,
  hrefOf: (attemptId: string) => string,
): readonly Column<DeliveryAttemptAnswer>[] {
  return [
    {
      head: 'At',
      cell: ({ attemptId, startedAt }) => (
        <a
          href={hrefOf(attemptId)}
          aria-current={attemptId === chosen?.attemptId ? 'true' : undefined}
        >
          <Time at={startedAt} exact />
        </a>
      ),
    },
    { head: 'Try', cell: ({ attempt }) => attempt },
    { head: 'Because of', cell: ({ trigger }) => triggers[trigger] ?? trigger },
    {
      head: 'Outcome',
      cell: ({ outcome, responseStatus, error }) => (
        <span class={outcome === 'delivered' ? 'good' : 'bad'}>
          {outcome}: {answerOf(responseStatus, error, true)}
        </span>
      ),
    },
    { head: 'Took', cell: ({ latencyMs }) => `${Math.round(latencyMs)} ms` },
  ]
}
