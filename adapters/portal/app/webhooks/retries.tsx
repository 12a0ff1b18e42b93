import type { DeliveryAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Shown } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'
import { numberOf, useWaiting } from './use-waiting.ts'

/** Deliveries that failed and will be tried again, and their next try now. */
export function Retries({ webhookId }: { readonly webhookId: string }) {
  const read = useWaiting(webhookId, ['retry_scheduled'])
  const writing = useWrite()
  const said = useSignal('')
  const tryNow = async (events: readonly DeliveryAnswer[]) => {
    let done = 0
    said.value = ''
    await writing.run(async () => {
      for (const { eventId } of events) {
        await api.webhooks.replay({ webhookId, eventId })
        done++
      }
    })
    said.value = `${done} of ${events.length} are tried now.`
    read.again()
  }
  return (
    <section aria-labelledby="retries">
      <h2 id="retries">Waiting for another try</h2>
      <Failure error={writing.error.value} />
      <Shown of={read}>
        {(waiting) => {
          if (waiting.events.length === 0) return <p>No delivery waits for another try.</p>
          const first = firstOf(waiting.events)
          return (
            <>
              <p>
                <a href={to(`/webhooks/${webhookId}?status=retry_scheduled`)}>
                  {numberOf(waiting)}
                </a>{' '}
                failed and will be tried again without anybody’s doing
                {first !== null && (
                  <>
                    , the first <Time at={first} exact />
                  </>
                )}
                .
              </p>
              <Act writing={writing} onPress={() => void tryNow(waiting.events)}>
                Try {waiting.events.length} now
              </Act>
            </>
          )
        }}
      </Shown>
      <p role="status">{said.value}</p>
    </section>
  )
}

/** When the next of these is tried; null where all are being tried now. */
function firstOf(events: readonly DeliveryAnswer[]): string | null {
  return events.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []).toSorted()[0] ?? null
}
