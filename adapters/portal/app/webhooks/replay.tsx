import type { DeliveryAnswer, ReplayAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { useKeys } from '../parts/keys.ts'
import { Question } from '../parts/question.tsx'

/** How it went, by event. */
const replayWords: Readonly<Record<ReplayAnswer['results'][number]['result'], string>> = {
  replayed: 'It is sent again.',
  brought_forward: 'The next try is made now.',
  in_progress: 'It is on its way already.',
}

/** Sends one event again, after a question. */
export function Replay({
  webhookId,
  delivery: { eventId, status },
  again,
}: {
  readonly webhookId: string
  readonly delivery: DeliveryAnswer
  readonly again: () => void
}) {
  const writing = useWrite()
  const asked = useSignal(false)
  const said = useSignal('')
  const isWaiting = status === 'retry_scheduled'
  const name = isWaiting ? 'Try now' : 'Send again'
  const ask = () => {
    said.value = ''
    asked.value = true
  }
  useKeys({ p: { does: 'send it again, after a question', run: ask } })
  const close = () => {
    asked.value = false
    writing.clear()
  }
  const replay = async () => {
    const answer = await writing.run(() => api.webhooks.replay({ webhookId, eventId }))
    if (!answer) return
    close()
    said.value = answer.results.map(({ result }) => replayWords[result] ?? result).join(' ')
    again()
  }
  return (
    <>
      <div class="acts">
        <button type="button" onClick={ask}>
          {name}
        </button>
      </div>
      <p role="status">{said.value}</p>
      {asked.value && (
        <Question
          title={isWaiting ? 'Try now?' : 'Send this event again?'}
          yes={name}
          writing={writing}
          onYes={replay}
          onClose={close}
        >
          <p>
            The same id and the same bytes are sent{isWaiting ? '' : ', with all retries'}. A
            receiver that has handled this id before has to leave it alone.
          </p>
        </Question>
      )}
    </>
  )
}
