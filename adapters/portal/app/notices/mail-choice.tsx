import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Failure } from '../parts/failure.tsx'
import { Tick } from '../parts/field.tsx'
import { Shown } from '../parts/page.tsx'

const hint =
  'One mail in 15 minutes at most, for the tiers high and urgent. It names ids and times, nothing of what a case is about.'

/** Whether the member is told by mail of cases that wait. */
export function MailChoice() {
  const said = useSignal('')
  const box = useRef<HTMLElement>(null)
  const writing = useWrite()
  const read = useRead('notices', (signal) => api.portal.readNotices({}, { signal }))
  const choose = async (reviewWaiting: boolean) => {
    said.value = ''
    const saved = await writing.run(() => api.portal.setNotices({ reviewWaiting }))
    if (saved)
      said.value = saved.reviewWaiting ? 'You are told by mail.' : 'You are not told by mail.'
    // What is ticked is what is saved.
    const input = box.current?.querySelector('input')
    if (!saved && input) input.checked = !reviewWaiting
  }
  return (
    <section ref={box}>
      <h2>Mails about cases that wait</h2>
      <Shown of={read}>
        {({ reviewWaiting, sends }) =>
          sends ? (
            <Tick
              label="Mail me when a case waits for a review"
              name="reviewWaiting"
              ticked={reviewWaiting}
              hint={hint}
              onTick={(ticked) => void choose(ticked)}
            />
          ) : (
            <p class="quiet">This service sends no mails.</p>
          )
        }
      </Shown>
      <p role="status">{said.value}</p>
      <Failure error={writing.error.value} />
    </section>
  )
}
