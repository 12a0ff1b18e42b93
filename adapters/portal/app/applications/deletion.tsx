import type { ApplicationAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { lengthOf, Time } from '../parts/time.tsx'

/** Asks for the removal of an application by typing its name; while the grace period runs, how long, and the way back. */
export function Deletion({
  application: { applicationId, name, lifecycleState, deletion },
  mayManage,
  again,
}: {
  readonly application: ApplicationAnswer
  readonly mayManage: boolean
  readonly again: () => void
}) {
  const writing = useWrite()
  const asked = useSignal(false)
  const other = useSignal(false)
  const close = () => {
    asked.value = false
    other.value = false
    writing.clear()
  }
  const request = async (entered: Entered) => {
    other.value = entered('name').trim() !== name.trim()
    if (other.value) return
    if (!(await writing.run(() => api.applications.requestDeletion({ applicationId })))) return
    close()
    again()
  }
  const cancel = async () => {
    if (await writing.run(() => api.applications.cancelDeletion({ applicationId }))) again()
  }
  return (
    <section aria-labelledby="deletion">
      <h2 id="deletion">Removal</h2>
      {deletion && (
        <div class="notice">
          <p>
            Asked for at <Time at={deletion.requestedAt} /> by <code>{deletion.requestedBy}</code>.
          </p>
          {lifecycleState === 'purging' ? (
            <p>The removal has begun and can not be stopped any more.</p>
          ) : (
            <>
              <p>
                It begins at <Time at={deletion.purgeAt} />: <Left until={deletion.purgeAt} />.
                {deletion.blockedByHold &&
                  ' A legal hold keeps it from beginning until it is released.'}
              </p>
              <Failure error={writing.error.value} />
              {mayManage && (
                <Act writing={writing} onPress={cancel}>
                  Cancel the removal
                </Act>
              )}
            </>
          )}
        </div>
      )}
      {!deletion && mayManage && (
        <button type="button" onClick={() => (asked.value = true)}>
          Remove the application
        </button>
      )}
      {asked.value && (
        <Dialog title="Remove the application?" onClose={close}>
          <p>
            It takes no data from now on. After a grace period its cases, sessions, keys and texts
            are removed for good; until then the removal can be cancelled.
          </p>
          <Form writing={writing} onSend={request} send="Remove">
            <Field
              label={`To go on, type its name: ${name}`}
              name="name"
              autoComplete="off"
              required
            />
            <p role="alert" class="fault">
              {other.value && 'This is not the name of the application; nothing was done.'}
            </p>
          </Form>
        </Dialog>
      )}
    </section>
  )
}

/** The time left until a moment, as it runs down. */
function Left({ until }: { readonly until: string }) {
  const left = useSignal('')
  useEffect(() => {
    const count = () => {
      const ms = Date.parse(until) - Date.now()
      left.value = ms > 0 ? `in ${lengthOf(ms)}` : 'any moment'
    }
    count()
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [until])
  return <span>{left.value}</span>
}
