import type { KeyRequestAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api, serverNow } from '../client/api.ts'
import { useActors, useApplicationNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { AskingButton } from '../parts/asking-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Section } from '../parts/section.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'
import { session } from '../session.ts'
import { RequestForm } from './request-form.tsx'
import { actionWords, statusWords } from './words.ts'

/** What admins asked staff of the service about keys; a key that was promised is revealed here, to its requester, once. */
export function KeyRequests({
  mayChange,
  onMade,
}: {
  readonly mayChange: boolean
  /** A key was made. */
  readonly onMade: () => void
}) {
  const applications = useApplicationNames()
  const actorOf = useActors()
  const read = useRead(
    '',
    (signal) => api.keyRequests.list({ page: 1, pageSize: 50 }, { signal }),
    { everyMs: 5_000 },
  )
  const asking = useSignal(false)
  const value = useSignal<string | null>(null)
  const columns: readonly Column<KeyRequestAnswer>[] = [
    {
      head: 'Asked for',
      cell: ({ action, applicationId, type, keyId }) => (
        <>
          {actionWords[action] ?? action}
          {type !== null && `, ${type}`}
          {applicationId !== null && (
            <>
              , for <bdi>{applications.get(applicationId) ?? applicationId}</bdi>
            </>
          )}
          {keyId !== null && (
            <>
              {' '}
              <code>{keyId}</code>
            </>
          )}
        </>
      ),
    },
    { head: 'Why', cell: ({ reason }) => <bdi>{reason}</bdi> },
    { head: 'State', cell: (request) => <StateOf {...request} /> },
    {
      head: 'Asked',
      cell: ({ requestedAt, requestedBy }) => (
        <>
          <Time at={requestedAt} /> by <bdi>{actorOf(requestedBy)}</bdi>
        </>
      ),
    },
  ]
  const act: Column<KeyRequestAnswer> = {
    head: 'Change',
    cell: (request) => (
      <ActsOf
        request={request}
        onChanged={read.again}
        onRevealed={(revealed) => {
          value.value = revealed
          read.again()
          onMade()
        }}
      />
    ),
  }
  const close = () => {
    asking.value = false
  }
  return (
    <Section
      id="key-requests"
      title="Requests to staff of the service"
      act={
        mayChange && {
          label: 'New request',
          onPress: () => {
            asking.value = true
          },
        }
      }
    >
      <Shown of={read}>
        {({ keyRequests, totalCount }) =>
          totalCount === 0 ? (
            <Empty>
              Nothing was asked for. Staff issues primary and management keys, revokes keys and
              rotates the encryption key.
            </Empty>
          ) : (
            <>
              <Rows
                caption="Requests to staff of the service"
                columns={mayChange ? [...columns, act] : columns}
                rows={keyRequests}
                keyOf={({ id }) => id}
              />
              {totalCount > keyRequests.length && (
                <p class="quiet">
                  The latest {keyRequests.length} of {totalCount}.
                </p>
              )}
            </>
          )
        }
      </Shown>
      {asking.value && (
        <Dialog title="Ask staff of the service" onClose={close}>
          <RequestForm
            applications={applications}
            onDone={() => {
              close()
              read.again()
            }}
          />
        </Dialog>
      )}
      {value.value !== null && (
        <ShownOnce
          title="The new key"
          secret={value.value}
          use="The key that was asked for."
          onClose={() => {
            value.value = null
          }}
        />
      )}
    </Section>
  )
}

function StateOf({ status, staffReason, result, executedAt }: KeyRequestAnswer) {
  return (
    <>
      {statusWords[status] ?? status} {executedAt !== null && <Time at={executedAt} />}
      {staffReason !== null && (
        <p>
          Staff: <bdi>{staffReason}</bdi>
        </p>
      )}
      {result?.failure && <p class="bad">{result.failure.detail}</p>}
      {result?.revealedAt != null && (
        <p class="quiet">
          The key was shown <Time at={result.revealedAt} />.
        </p>
      )}
    </>
  )
}

/** Whether a key was promised that can still be shown. */
function canReveal({ status, result }: KeyRequestAnswer): boolean {
  return (
    status === 'executed' &&
    result?.revealedAt === null &&
    result.revealUntil !== null &&
    Date.parse(result.revealUntil) > serverNow()
  )
}

function ActsOf({
  request,
  onChanged,
  onRevealed,
}: {
  readonly request: KeyRequestAnswer
  readonly onChanged: () => void
  readonly onRevealed: (value: string) => void
}) {
  const writing = useWrite()
  const { id: requestId, requestedBy, status, result } = request
  const isOwn = requestedBy === session.value?.member.memberId
  if (status === 'submitted')
    return (
      <AskingButton
        title="Withdraw the request"
        act="Withdraw"
        run={() => api.keyRequests.cancel({ requestId })}
        then={onChanged}
        means={<p>Staff does not see it any more. Nothing else changes.</p>}
      >
        Withdraw
      </AskingButton>
    )
  if (!canReveal(request)) return null
  if (!isOwn) return <span class="quiet">Who asked can see the key.</span>
  const reveal = async () => {
    const made = await writing.run(() => api.keyRequests.reveal({ requestId }))
    if (made) onRevealed(made.value)
  }
  return (
    <>
      <Failure error={writing.error.value} />
      <Act writing={writing} onPress={reveal}>
        Reveal the key
      </Act>
      <p class="quiet">
        Once, until <Time at={result?.revealUntil ?? null} />
      </p>
    </>
  )
}
