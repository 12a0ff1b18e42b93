import type { DeliveryLogAnswer, WebhookAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Question } from '../parts/question.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { to } from '../paths.ts'
import { GivenUp } from './given-up.tsx'

/** What is asked before it is done. */
type Asked = 'turn-off' | 'rotate' | 'remove'

/** What an admin can do with a webhook. */
export default function Acts({
  webhook,
  again,
}: {
  readonly webhook: WebhookAnswer
  /** Reads the webhook again. */
  readonly again: () => void
}) {
  const { id: webhookId, status, statusReason, signing } = webhook
  const { route } = useLocation()
  const writing = useWrite()
  const asked = useSignal<Asked | null>(null)
  const said = useSignal('')
  const secret = useSignal<string | null>(null)
  const isGone = statusReason === 'endpoint_gone'

  /** Runs a write, and tells how it ended. */
  async function act<T>(write: () => Promise<T>, words: (answer: T) => string): Promise<T | null> {
    said.value = ''
    const answer = await writing.run(write)
    if (answer === undefined) return null
    asked.value = null
    said.value = words(answer)
    again()
    return answer
  }
  const close = () => {
    asked.value = null
    writing.clear()
  }
  const test = () => act(() => api.webhooks.test({ webhookId }), testWords)
  const verify = () =>
    act(
      () => api.webhooks.requestVerification({ webhookId }),
      () => 'A new challenge is on its way.',
    )
  const turnOn = () =>
    act(
      () => api.webhooks.turnOn({ webhookId }),
      () => 'It receives again.',
    )
  const turnOff = () =>
    act(
      () => api.webhooks.turnOff({ webhookId }),
      () => 'It is off.',
    )
  const rotate = async () => {
    const answer = await act(
      () => api.webhooks.rotateSecret({ webhookId }),
      () => 'The secret was rotated.',
    )
    secret.value = answer?.signing.secret ?? null
  }
  const remove = async () => {
    const removed = await writing.run(() => api.webhooks.remove({ webhookId }))
    if (removed) route(to('/webhooks'), true)
  }

  return (
    <>
      <div class="acts">
        <Act writing={writing} onPress={test}>
          Send a test
        </Act>
        {!isGone && (
          <Act writing={writing} onPress={verify}>
            Send a new challenge
          </Act>
        )}
        {status === 'receiving' && (
          <button type="button" onClick={() => (asked.value = 'turn-off')}>
            Turn off
          </button>
        )}
        {status === 'turned_off' && !isGone && (
          <Act writing={writing} onPress={turnOn}>
            Turn on
          </Act>
        )}
        {signing.hasSecret && (
          <button type="button" onClick={() => (asked.value = 'rotate')}>
            Rotate the secret
          </button>
        )}
        <a href={to(`/webhooks/${webhookId}/edit`)}>Change</a>
        <button type="button" onClick={() => (asked.value = 'remove')}>
          Remove
        </button>
      </div>
      {asked.value === null && <Failure error={writing.error.value} />}
      <p role="status">{said.value}</p>
      {asked.value === 'turn-off' && (
        <Question
          title="Turn the webhook off?"
          yes="Turn off"
          writing={writing}
          onYes={turnOff}
          onClose={close}
        >
          <p>
            Nothing is sent while it is off, and events of that time are not sent later. It is told
            which time it missed once it receives again.
          </p>
          <GivenUp webhookId={webhookId} later="They can be recovered once it is on again." />
        </Question>
      )}
      {asked.value === 'rotate' && (
        <Question
          title="Rotate the secret?"
          yes="Rotate"
          writing={writing}
          onYes={rotate}
          onClose={close}
        >
          <p>
            A new secret signs from now on, and the one of now beside it for 24 hours. Give the new
            one to the receiver in that time.
          </p>
        </Question>
      )}
      {asked.value === 'remove' && (
        <Question
          title="Remove the webhook?"
          yes="Remove"
          writing={writing}
          onYes={remove}
          onClose={close}
        >
          <GivenUp webhookId={webhookId} later="" />
          <p>It can not be brought back.</p>
        </Question>
      )}
      {secret.value !== null && (
        <ShownOnce
          title="The new secret"
          secret={secret.value}
          use="The receiver verifies messages with it."
          onClose={() => {
            secret.value = null
          }}
        />
      )}
    </>
  )
}

/** How a test went. */
function testWords({ outcome, responseStatus, error, latencyMs }: DeliveryLogAnswer): string {
  const answered = responseStatus === null ? 'no answer' : `status ${responseStatus}`
  const took = `${Math.round(latencyMs)} ms`
  return outcome === 'delivered'
    ? `The test arrived: ${answered} after ${took}.`
    : `The test failed: ${answered} after ${took}${error ? `, ${error}` : ''}.`
}
