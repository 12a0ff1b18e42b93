import type { WebhookAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Shown } from '../parts/page.tsx'
import { Section } from '../parts/section.tsx'
import { to } from '../paths.ts'

const told = [
  ['alert.triggered', 'what went off'],
  ['alert.resolved', 'what was over again'],
] as const
type Told = (typeof told)[number][0]

/** Where changes before the last one can be read: the service keeps a rule as it is, and tells each change by an event. */
export function Earlier() {
  const read = useRead('alert-webhooks', async (signal) => api.webhooks.list({}, { signal }))
  return (
    <Section id="earlier" title="Earlier changes">
      <p>
        A rule shows its last change alone. Each change was told by an event, which the webhooks
        that get it list for 30 days, with those of other rules.
      </p>
      <Shown of={read}>
        {({ webhooks }) => {
          const hearing = webhooks.filter((webhook) => told.some(([type]) => gets(webhook, type)))
          return hearing.length === 0 ? (
            <Empty>No webhook gets these events, so earlier changes are listed nowhere.</Empty>
          ) : (
            <ul>
              {hearing.map((webhook) => (
                <li key={webhook.id}>
                  <bdi>{webhook.url}</bdi>:{' '}
                  {told
                    .filter(([type]) => gets(webhook, type))
                    .map(([type, words], at) => (
                      <span key={type}>
                        {at > 0 && ', '}
                        <a href={to(`/webhooks/${webhook.id}?type=${type}`)}>{words}</a>
                      </span>
                    ))}
                </li>
              ))}
            </ul>
          )
        }}
      </Shown>
    </Section>
  )
}

const gets = ({ eventTypes }: WebhookAnswer, type: Told): boolean =>
  eventTypes.some((each) => each === '*' || each === type)
