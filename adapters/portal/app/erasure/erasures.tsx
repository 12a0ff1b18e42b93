import type { ErasureRequestAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useActors, useApplicationNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { DownloadList } from '../evidence/download-list.tsx'
import { download } from '../evidence/downloads.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Area, Choice } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { SubjectField } from '../parts/usual-fields.tsx'
import { reasons, reasonWords, statusWords } from './words.ts'

/** Requests to erase what is held of persons. */
export function Erasures({
  mayChange,
  changes,
}: {
  readonly mayChange: boolean
  /** Counts changes of holds: the list is read again. */
  readonly changes: number
}) {
  const page = usePage()
  const names = useApplicationNames()
  const actorOf = useActors()
  const open = useSignal<'none' | 'new' | ErasureRequestAnswer>('none')
  const read = useRead(
    `${page} ${changes}`,
    (signal) => api.erasureRequests.list({ page, pageSize: 20 }, { signal }),
    { everyMs: 5_000 },
  )
  const close = () => {
    open.value = 'none'
  }
  const done = () => {
    close()
    read.again()
  }
  const columns: readonly Column<ErasureRequestAnswer>[] = [
    { head: 'Data subject', cell: ({ dataSubjectId }) => <code>{dataSubjectId}</code> },
    {
      head: 'In',
      cell: ({ applicationId }) =>
        applicationId === null ? 'all applications' : (names.get(applicationId) ?? applicationId),
    },
    { head: 'Why', cell: ({ reason }) => reasonWords[reason] ?? reason },
    { head: 'State', cell: (request) => <StateOf {...request} /> },
    {
      head: 'Asked',
      cell: ({ requestedAt, requestedBy }) => (
        <>
          <Time at={requestedAt} /> by <bdi>{actorOf(requestedBy)}</bdi>
        </>
      ),
    },
    {
      head: 'Act',
      cell: (request) => {
        const { erasureRequestId, dataSubjectId, status, certificateUrl } = request
        if (certificateUrl !== null)
          return (
            <button
              type="button"
              aria-label={`Certificate of ${dataSubjectId}`}
              onClick={() =>
                void download('Certificate of the erasure', (more) =>
                  api.erasureRequests.certificatePdf({ erasureRequestId }, more),
                )
              }
            >
              Certificate
            </button>
          )
        if (!mayChange || status === 'completed' || status === 'rejected') return null
        return (
          <button
            type="button"
            aria-label={`Reject the request for ${dataSubjectId}`}
            onClick={() => {
              open.value = request
            }}
          >
            Reject
          </button>
        )
      },
    },
  ]
  return (
    <Section
      id="erasures"
      title="Erasure requests"
      act={
        mayChange && {
          label: 'Erase a person’s data',
          onPress: () => {
            open.value = 'new'
          },
        }
      }
    >
      <DownloadList />
      <Shown of={read}>
        {(list) =>
          list.totalCount === 0 ? (
            <Empty>Nobody’s data was asked to be erased.</Empty>
          ) : (
            <>
              <Rows
                caption="Erasure requests"
                columns={columns}
                rows={list.erasureRequests}
                keyOf={({ erasureRequestId }) => erasureRequestId}
              />
              <Pager of={list} />
            </>
          )
        }
      </Shown>
      {open.value === 'new' && (
        <Dialog title="Erase a person’s data" onClose={close}>
          <ErasureForm names={names} onDone={done} />
        </Dialog>
      )}
      {typeof open.value === 'object' && (
        <Dialog title="Reject the request" onClose={close}>
          <RejectForm erasureRequestId={open.value.erasureRequestId} onDone={done} />
        </Dialog>
      )}
    </Section>
  )
}

function StateOf({ status, waitingFor, completedAt, counts }: ErasureRequestAnswer) {
  return (
    <>
      {statusWords[status] ?? status}
      {waitingFor === 'callback' && ', waits until an outcome that is owed was sent'}
      {completedAt !== null && (
        <>
          {' '}
          <Time at={completedAt} />
        </>
      )}
      {counts && (
        <p class="quiet">
          {counts.sessions} sessions, {counts.payloads} contents, {counts.cases} cases,{' '}
          {counts.annotations} annotations
        </p>
      )}
    </>
  )
}

function ErasureForm({
  names,
  onDone,
}: {
  readonly names: ReadonlyMap<string, string>
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const asked = {
      dataSubjectId: entered('dataSubjectId'),
      applicationId: entered('applicationId') || null,
      reason: reasons.find((one) => one === entered('reason')) ?? 'other',
      confirm: true,
    } as const
    if (await writing.run(() => api.erasureRequests.create(asked))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Erase for good">
      <p>
        The keys of their content are destroyed: it can not be read again by anybody, and their open
        cases are cancelled. What can be proven without content stays.
      </p>
      <SubjectField error={error} />
      <Choice
        label="In"
        name="applicationId"
        options={[['', 'all applications'], ...names]}
        error={error}
      />
      <Choice
        label="Why"
        name="reason"
        options={reasons.map((one) => [one, reasonWords[one]] as const)}
        error={error}
      />
    </Form>
  )
}

function RejectForm({
  erasureRequestId,
  onDone,
}: {
  readonly erasureRequestId: string
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const asked = { erasureRequestId, reason: entered('reason') }
    if (await writing.run(() => api.erasureRequests.reject(asked))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Reject">
      <Area label="Why" name="reason" required rows={3} error={writing.error.value} />
    </Form>
  )
}
