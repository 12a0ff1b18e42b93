import type { CustomerKeyAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api, serverNow } from '../client/api.ts'
import { useActors, useApplicationNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { AskingButton } from '../parts/asking-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Choice } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'
import { typeWords } from './words.ts'

/** The keys with which backends send sessions; which of them nobody uses, and which are due to be replaced. */
export function CustomerKeys({
  mayChange,
  changes,
}: {
  readonly mayChange: boolean
  /** Counts keys that were made elsewhere on the page: the list is read again. */
  readonly changes: number
}) {
  const page = usePage()
  const applications = useApplicationNames()
  const actorOf = useActors()
  const read = useRead(`${page} ${changes}`, (signal) =>
    api.customerKeys.list({ page, pageSize: 50 }, { signal }),
  )
  const issuing = useSignal(false)
  const value = useSignal<string | null>(null)
  const news = useSignal('')
  const columns: readonly Column<CustomerKeyAnswer>[] = [
    { head: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
    {
      head: 'Application',
      cell: ({ applicationId }) => <bdi>{applications.get(applicationId) ?? applicationId}</bdi>,
    },
    { head: 'Type', cell: ({ type }) => typeWords[type] ?? type },
    { head: 'State', cell: (key) => <StateOf {...key} /> },
    { head: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      head: 'Issued',
      cell: ({ createdAt, createdBy }) => (
        <>
          <Time at={createdAt} /> by <bdi>{actorOf(createdBy)}</bdi>
        </>
      ),
    },
  ]
  const act: Column<CustomerKeyAnswer> = {
    head: 'Change',
    cell: ({ keyId, prefix, status }) =>
      status === 'Active' && (
        <AskingButton
          label={`Revoke ${prefix}`}
          title={`Revoke ${prefix}`}
          act="Revoke for good"
          run={() => api.customerKeys.revoke({ keyId })}
          then={() => {
            news.value = `The key ${prefix} is revoked.`
            read.again()
          }}
          means={
            <p>
              Whatever sends with this key is refused from then on. It can not be made valid again:
              issue another one and deploy it first.
            </p>
          }
        >
          Revoke
        </AskingButton>
      ),
  }
  return (
    <section aria-labelledby="customer-keys">
      <header class="page-head">
        <h2 id="customer-keys">Customer keys</h2>
        {mayChange && applications.size > 0 && (
          <button
            type="button"
            onClick={() => {
              issuing.value = true
            }}
          >
            Issue a secondary key
          </button>
        )}
      </header>
      <p class="quiet">
        With one a backend sends sessions to an application. To rotate a key, issue another one,
        deploy it, and revoke the first.
      </p>
      <p role="status">{news.value}</p>
      <Shown of={read}>
        {(list) =>
          list.totalCount === 0 ? (
            <Empty>No key was issued yet. An admin can ask staff for one below.</Empty>
          ) : (
            <>
              <Rows
                caption="Customer keys"
                columns={mayChange ? [...columns, act] : columns}
                rows={list.customerKeys}
                keyOf={({ keyId }) => keyId}
              />
              <Pager of={list} />
            </>
          )
        }
      </Shown>
      {issuing.value && (
        <Dialog
          title="Issue a secondary key"
          onClose={() => {
            issuing.value = false
          }}
        >
          <IssueForm
            applications={applications}
            onDone={(issued) => {
              issuing.value = false
              value.value = issued
              read.again()
            }}
          />
        </Dialog>
      )}
      {value.value !== null && (
        <ShownOnce
          title="The new key"
          secret={value.value}
          use="With this key a backend sends sessions."
          onClose={() => {
            value.value = null
          }}
        />
      )}
    </section>
  )
}

function StateOf({ status, revokedAt, rotationDueAt, unused30d }: CustomerKeyAnswer) {
  if (status === 'Revoked')
    return (
      <>
        Revoked <Time at={revokedAt} />
      </>
    )
  const due = rotationDueAt !== null && Date.parse(rotationDueAt) <= serverNow()
  return (
    <>
      Active
      {unused30d && (
        <>
          <br />
          <span class="warn">Not used for 30 days</span>
        </>
      )}
      <br />
      <span class={due ? 'warn' : 'quiet'}>
        {due ? 'Rotation was due' : 'Rotation due'} <Time at={rotationDueAt} />
      </span>
    </>
  )
}

function IssueForm({
  applications,
  onDone,
}: {
  readonly applications: ReadonlyMap<string, string>
  readonly onDone: (value: string) => void
}) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const applicationId = entered('applicationId')
    const made = await writing.run(() => api.customerKeys.issue({ applicationId }))
    if (made) onDone(made.value)
  }
  return (
    <Form writing={writing} onSend={send} send="Issue">
      <Choice
        label="Application"
        name="applicationId"
        options={[...applications]}
        error={writing.error.value}
        hint="The key can send sessions to this application alone, and is shown once."
      />
    </Form>
  )
}
