import type { InvitationAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { AskingButton } from '../parts/asking-button.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { roleWords } from './words.ts'

const statusWords: Readonly<Record<InvitationAnswer['status'], string>> = {
  pending: 'Open',
  accepted: 'Accepted',
  expired: 'Ended after 72 hours',
  withdrawn: 'Withdrawn',
}

const columns: readonly Column<InvitationAnswer>[] = [
  { head: 'Address', cell: ({ email }) => email },
  { head: 'Role', cell: ({ role }) => roleWords[role]?.name ?? role },
  { head: 'State', cell: ({ status }) => statusWords[status] ?? status },
  { head: 'Sent', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { head: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
]

/** The latest invitations, and what can be done about those that are open. */
export function InvitationsList({
  changes,
  mayChange,
  done,
  sent,
}: {
  /** Counts what was changed: the list is read again. */
  readonly changes: number
  readonly mayChange: boolean
  readonly done: (what: string) => void
  readonly sent: (invitation: InvitationAnswer) => void
}) {
  const invitations = useRead(`${changes}`, (signal) =>
    api.invitations.list({ page: 1, pageSize: 20 }, { signal }),
  )
  const acts: Column<InvitationAnswer> = {
    head: 'Change',
    cell: (row) => row.status === 'pending' && <Acts of={row} done={done} sent={sent} />,
  }
  return (
    <section>
      <h2>Latest invitations</h2>
      <Shown of={invitations}>
        {({ invitations: rows, totalCount }) =>
          rows.length === 0 ? (
            <Empty>Nobody was invited yet.</Empty>
          ) : (
            <>
              <Rows
                caption="Latest invitations"
                columns={mayChange ? [...columns, acts] : columns}
                rows={rows}
                keyOf={({ invitationId }) => invitationId}
              />
              {totalCount > rows.length && (
                <p class="quiet">
                  The latest {rows.length} of {totalCount}; the audit log has all.
                </p>
              )}
            </>
          )
        }
      </Shown>
    </section>
  )
}

function Acts({
  of: { invitationId, email },
  done,
  sent,
}: {
  readonly of: InvitationAnswer
  readonly done: (what: string) => void
  readonly sent: (invitation: InvitationAnswer) => void
}) {
  return (
    <div class="acts">
      <AskingButton
        label={`Send again to ${email}`}
        title={`Send the invitation of ${email} again`}
        act="Send again"
        run={() => api.invitations.resend({ invitationId })}
        then={sent}
        means={<p>A new link is made, for another 72 hours. The link of before stops working.</p>}
      >
        Send again
      </AskingButton>
      <AskingButton
        label={`Withdraw the invitation of ${email}`}
        title={`Withdraw the invitation of ${email}`}
        act="Withdraw"
        run={() => api.invitations.withdraw({ invitationId })}
        then={() => done(`The invitation of ${email} is withdrawn.`)}
        means={<p>The link stops working at once.</p>}
      >
        Withdraw
      </AskingButton>
    </div>
  )
}
