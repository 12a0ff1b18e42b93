import type { ApplicationKeyAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Field } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { Question } from '../parts/question.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'

/** The keys with which an application opens cases. */
export function Keys({
  applicationId,
  mayManage,
}: {
  readonly applicationId: string
  readonly mayManage: boolean
}) {
  const read = useRead(`keys ${applicationId}`, async (signal) =>
    api.applicationKeys.list({ applicationId }, { signal }),
  )
  const writing = useWrite()
  const making = useSignal(false)
  const revoked = useSignal<ApplicationKeyAnswer | null>(null)
  const value = useSignal<string | null>(null)
  const close = () => {
    making.value = false
    revoked.value = null
    writing.clear()
  }
  const create = async (entered: Entered) => {
    const label = entered('label').trim()
    const made = await writing.run(() => api.applicationKeys.create({ applicationId, label }))
    if (!made) return
    close()
    value.value = made.value
    read.again()
  }
  const revoke = async () => {
    const { keyId = '' } = revoked.value ?? {}
    if (!(await writing.run(() => api.applicationKeys.revoke({ applicationId, keyId })))) return
    close()
    read.again()
  }
  const columns: readonly Column<ApplicationKeyAnswer>[] = [
    { head: 'Label', cell: ({ label }) => <bdi>{label}</bdi> },
    { head: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
    {
      head: 'Status',
      cell: ({ status, revokedAt }) =>
        status === 'Active' ? (
          <span class="good">active</span>
        ) : (
          <>
            revoked <Time at={revokedAt} />
          </>
        ),
    },
    { head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      head: 'Act',
      cell: (key) =>
        mayManage && key.status === 'Active' ? (
          <button
            type="button"
            aria-label={`Revoke ${key.label}`}
            onClick={() => {
              revoked.value = key
            }}
          >
            Revoke
          </button>
        ) : (
          <span class="quiet">–</span>
        ),
    },
  ]
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys of the application</h2>
      <Shown of={read}>
        {({ applicationKeys }) =>
          applicationKeys.length === 0 ? (
            <Empty>
              <p>Without a key the application can not open a case.</p>
            </Empty>
          ) : (
            <Rows
              caption="Keys of the application"
              columns={columns}
              rows={applicationKeys}
              keyOf={({ keyId }) => keyId}
            />
          )
        }
      </Shown>
      {mayManage && !making.value && (
        <button type="button" onClick={() => (making.value = true)}>
          Make a key
        </button>
      )}
      {making.value && (
        <>
          <Form writing={writing} onSend={create} send="Make the key">
            <Field
              label="Label"
              name="label"
              required
              hint="Where it is used, such as “production server”."
              error={writing.error.value}
            />
          </Form>
          <p>
            <button type="button" onClick={close}>
              Make none
            </button>
          </p>
        </>
      )}
      {revoked.value && (
        <Question
          title={`Revoke the key “${revoked.value.label}”?`}
          yes="Revoke"
          writing={writing}
          onYes={revoke}
          onClose={close}
        >
          <p>
            Whatever still calls with it is refused from now on. It can not be brought back: make
            another key and deploy it first.
          </p>
        </Question>
      )}
      {value.value !== null && (
        <ShownOnce
          title="The key"
          secret={value.value}
          use="The application opens and reads its cases with it."
          onClose={() => {
            value.value = null
          }}
        />
      )}
    </section>
  )
}
