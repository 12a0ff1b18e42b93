import { Shown } from '../parts/page.tsx'
import { numberOf, unsent, useWaiting } from './use-waiting.ts'

/** What a webhook is still owed, and loses by what is asked. */
export function GivenUp({
  webhookId,
  later,
}: {
  readonly webhookId: string
  /** What can be done about it later. */
  readonly later: string
}) {
  return (
    <Shown of={useWaiting(webhookId, unsent)}>
      {(waiting) => (
        <p>
          {waiting.events.length === 0 ? (
            'Nothing waits to be sent now.'
          ) : (
            <>
              <strong>{numberOf(waiting)}</strong> that wait to be sent or tried again are given up.{' '}
              {later}
            </>
          )}
        </p>
      )}
    </Shown>
  )
}
