import type { ApplicationAnswer, OutcomeCallbackAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Copy } from '../parts/copy.tsx'
import { Choice, Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Question } from '../parts/question.tsx'
import { Facts } from '../parts/rows.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'

type Asked = 'change' | 'rotate' | 'remove'

/** Where the outcomes of an application go, and what an admin can change of it. */
export function Callback({
  application: { applicationId, outcomeCallback },
  mayManage,
  again,
}: {
  readonly application: ApplicationAnswer
  readonly mayManage: boolean
  readonly again: () => void
}) {
  const writing = useWrite()
  const asked = useSignal<Asked | null>(null)
  const secret = useSignal<string | null>(null)
  const close = () => {
    asked.value = null
    writing.clear()
  }
  /** Runs a write; what it answers may have a secret, which is shown once. */
  async function act(write: () => Promise<ApplicationAnswer | OutcomeCallbackAnswer>) {
    const answer = await writing.run(write)
    if (!answer) return
    close()
    if ('signing' in answer) secret.value = answer.signing.secret ?? null
    again()
  }
  const save = (entered: Entered) =>
    act(() =>
      api.applications.setOutcomeCallback({
        applicationId,
        url: entered('url').trim(),
        enabled: entered('enabled') === 'yes',
        signing: { method: entered('method') === 'shared_secret' ? 'shared_secret' : 'ed25519' },
      }),
    )
  return (
    <section aria-labelledby="callback">
      <h2 id="callback">Outcomes</h2>
      {outcomeCallback ? (
        <Address callback={outcomeCallback} />
      ) : (
        <p>
          The application has no address for outcomes, so it has to read its cases to learn what was
          decided.
        </p>
      )}
      {mayManage && asked.value !== 'change' && (
        <div class="acts">
          <button type="button" onClick={() => (asked.value = 'change')}>
            {outcomeCallback ? 'Change the address' : 'Set an address'}
          </button>
          {outcomeCallback?.signing.hasSecret && (
            <button type="button" onClick={() => (asked.value = 'rotate')}>
              Rotate its secret
            </button>
          )}
          {outcomeCallback && (
            <button type="button" onClick={() => (asked.value = 'remove')}>
              Remove the address
            </button>
          )}
        </div>
      )}
      {mayManage && asked.value === 'change' && (
        <>
          <Definition callback={outcomeCallback} writing={writing} onSend={save} />
          <p>
            <button type="button" onClick={close}>
              Leave it as it is
            </button>
          </p>
        </>
      )}
      {asked.value === 'rotate' && (
        <Question
          title="Rotate the secret of outcomes?"
          yes="Rotate"
          writing={writing}
          onYes={() => act(() => api.applications.rotateCallbackSecret({ applicationId }))}
          onClose={close}
        >
          <p>
            Two signatures come with each outcome for 24 hours: by the new secret, and by the one of
            now. Give the new one to the application in that time.
          </p>
        </Question>
      )}
      {asked.value === 'remove' && (
        <Question
          title="Remove the address of outcomes?"
          yes="Remove"
          writing={writing}
          onYes={() => act(() => api.applications.removeOutcomeCallback({ applicationId }))}
          onClose={close}
        >
          <p>
            Outcomes that are still owed are given up. The application can still read what was
            decided, and they can be sent again once there is another address.
          </p>
        </Question>
      )}
      {secret.value !== null && (
        <ShownOnce
          title="The secret of outcomes"
          secret={secret.value}
          use="The application verifies outcomes with it."
          onClose={() => {
            secret.value = null
          }}
        />
      )}
    </section>
  )
}

function Address({ callback }: { readonly callback: OutcomeCallbackAnswer }) {
  const { url, enabled, gone, updatedAt, signing } = callback
  return (
    <>
      {gone && (
        <p class="notice">
          The address answered 410 Gone, so nothing is sent there any more. It needs another one.
        </p>
      )}
      <Facts
        facts={[
          ['Address', <code key="url">{url}</code>],
          ['Sends', enabled ? 'yes' : 'no: paused, outcomes wait'],
          ['Signature', signing.method === 'ed25519' ? 'Ed25519' : 'a shared secret'],
          ...(signing.publicKey
            ? [
                [
                  'Public key',
                  <>
                    <code>{signing.publicKey}</code>{' '}
                    <Copy text={signing.publicKey} what="the public key" />
                  </>,
                ] as const,
              ]
            : []),
          ...(signing.previousSecretValidUntil
            ? [
                [
                  'Previous secret',
                  <>
                    signs too until <Time at={signing.previousSecretValidUntil} />
                  </>,
                ] as const,
              ]
            : []),
          ['Saved', <Time key="saved" at={updatedAt} />],
        ]}
      />
    </>
  )
}

function Definition({
  callback,
  writing,
  onSend,
}: {
  readonly callback: OutcomeCallbackAnswer | null
  readonly writing: ReturnType<typeof useWrite>
  readonly onSend: (entered: Entered) => Promise<unknown>
}) {
  const error = writing.error.value
  return (
    <Form writing={writing} onSend={onSend} send="Save">
      <Field
        label="Address"
        name="url"
        type="url"
        required
        placeholder="https://"
        value={callback?.url}
        error={error}
      />
      <Choice
        label="Sends"
        name="enabled"
        value={callback?.enabled === false ? 'no' : 'yes'}
        options={[
          ['yes', 'yes'],
          ['no', 'no: pause, outcomes wait'],
        ]}
        error={error}
      />
      <Choice
        label="Signature"
        name="method"
        value={callback?.signing.method ?? 'ed25519'}
        options={[
          ['ed25519', 'Ed25519, with the organization’s key'],
          ['shared_secret', 'a shared secret, which is made and shown once'],
        ]}
        hint="Another method holds at once."
        error={error}
      />
    </Form>
  )
}
