import type { RecoveryAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api, serverNow } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { useFilters } from '../filters.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Choice } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { Progress } from './progress.tsx'
import { Retries } from './retries.tsx'
import { sendsAgain } from './rights.ts'
import { eventTypes, eventWords } from './words.ts'

const dayMs = 86_400_000

/** What is to be sent again, as the API takes it. */
type Asked = Parameters<typeof api.webhooks.recover>[0]

export default function RecoverPage({ params }: PageProps) {
  const { webhookId = '' } = params ?? {}
  const read = useRead(webhookId, (signal) => api.webhooks.read({ webhookId }, { signal }))
  const mayRecover = sendsAgain()
  return (
    <Page title="Recover">
      <p>
        Sends now what waits for another try, and again what was given up, with the same ids and the
        same bytes. Events of a time in which the webhook was off were never sent, and are not sent
        by this: look for them in the cases.
      </p>
      <Shown of={read}>
        {({ url, status }) =>
          status === 'receiving' && mayRecover ? (
            <>
              <p>
                To <code>{url}</code>
              </p>
              <Retries webhookId={webhookId} />
              <Steps webhookId={webhookId} />
            </>
          ) : (
            <p>
              {mayRecover
                ? 'The webhook is off: turn it on first.'
                : 'An admin or a member who may manage integrations can recover.'}
            </p>
          )
        }
      </Shown>
      <p>
        <a href={to(`/webhooks/${webhookId}`)}>The webhook</a>
      </p>
    </Page>
  )
}

/** Choose, look at what would be done, do it; the second is void once the first changes. */
function Steps({ webhookId }: { readonly webhookId: string }) {
  const { of, set } = useFilters()
  const writing = useWrite()
  const preview = useSignal<RecoveryAnswer | null>(null)
  const sent = useSignal<RecoveryAnswer | null>(null)
  const begun = useSignal(serverNow()).value
  const from = of.from ?? new Date(begun - dayMs).toISOString()
  const until = of.until ?? new Date(begun).toISOString()
  const type = eventTypes.find((each) => each === of.type)
  const asked: Asked = {
    webhookId,
    from,
    until,
    by: of.by === 'event' ? 'event' : 'given_up',
    ...(type && { types: [type] }),
  }
  const change = (changes: Parameters<typeof set>[0]) => {
    preview.value = null
    sent.value = null
    writing.clear()
    set(changes)
  }
  const look = async () => {
    sent.value = null
    preview.value =
      (await writing.run(() => api.webhooks.recover({ ...asked, dryRun: true }))) ?? null
  }
  const send = async () => {
    const answer = await writing.run(() => api.webhooks.recover(asked))
    if (!answer) return
    preview.value = null
    sent.value = answer
  }
  return (
    <section aria-labelledby="given-up">
      <h2 id="given-up">Given up</h2>
      <section aria-labelledby="window">
        <h3 id="window">1. Which</h3>
        <div class="filters">
          <Choice
            label="By"
            name="by"
            value={asked.by}
            options={[
              ['given_up', 'when it was given up'],
              ['event', 'when it happened'],
            ]}
            onChange={(event) => change({ by: event.currentTarget.value })}
          />
          <Moment label="From" at={from} onChange={(at) => change({ from: at })} />
          <Moment label="Until" at={until} onChange={(at) => change({ until: at })} />
          <Choice
            label="Events"
            name="type"
            value={type ?? ''}
            options={[['', 'all'], ...eventTypes.map((each) => [each, eventWords[each]] as const)]}
            onChange={(event) => change({ type: event.currentTarget.value })}
          />
        </div>
      </section>
      <section aria-labelledby="preview">
        <h3 id="preview">2. Preview</h3>
        <Failure error={writing.error.value} />
        <Act writing={writing} onPress={look}>
          Preview
        </Act>
        <p role="status">{preview.value && countsOf(preview.value)}</p>
      </section>
      <section aria-labelledby="send">
        <h3 id="send">3. Send</h3>
        {preview.value && preview.value.counts.replayed > 0 && (
          <Act writing={writing} onPress={send} primary>
            Send {preview.value.counts.replayed} again
          </Act>
        )}
        {!preview.value && !sent.value && <p class="quiet">Look at the preview first.</p>}
        {preview.value?.counts.replayed === 0 && <p>There is nothing to send.</p>}
        {sent.value && <Progress webhookId={webhookId} recovery={sent.value} />}
      </section>
    </section>
  )
}

/** What a recovery would do, in words. */
function countsOf({ counts: { replayed, alreadyDelivered, inProgress } }: RecoveryAnswer): string {
  return `${replayed} given up, to be sent again · ${alreadyDelivered} delivered · ${inProgress} under way`
}
