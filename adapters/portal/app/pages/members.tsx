import type { InvitationAnswer, MemberRecordAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { MemberAuthenticators } from '../authenticators/member-authenticators.tsx'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { DeactivateMember } from '../members/deactivate.tsx'
import { InvitationsList } from '../members/invitations.tsx'
import { InviteForm } from '../members/invite.tsx'
import { OpenCases } from '../members/open-cases.tsx'
import { RoleForm } from '../members/role-form.tsx'
import { permissionsOfRole, permissionWords, roleWords, statusWords } from '../members/words.ts'
import { AskingButton } from '../parts/asking-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Page, Shown } from '../parts/page.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox } from '../paths.ts'
import { isAdmin } from '../session.ts'

/** What is open over the page. */
type Open =
  | { readonly what: 'invite' }
  | { readonly what: 'link'; readonly email: string; readonly link: string }
  | {
      readonly what: 'role' | 'deactivate' | 'cases' | 'authenticators'
      readonly member: MemberRecordAnswer
    }

const columns: readonly Column<MemberRecordAnswer>[] = [
  { head: 'Member', cell: (member) => <Who {...member} /> },
  { head: 'Role', cell: (member) => <RoleOf {...member} /> },
  { head: 'State', cell: (member) => <StateOf {...member} /> },
  { head: 'Since', cell: ({ addedAt }) => <Time at={addedAt} /> },
]

export default function Members() {
  const page = usePage()
  const open = useSignal<Open | null>(null)
  const news = useSignal('')
  const changes = useSignal(0)
  const members = useRead(`${page}`, (signal) =>
    api.members.list({ page, pageSize: 50 }, { signal }),
  )
  const mayChange = isAdmin.value && !isSandbox
  const close = () => {
    open.value = null
  }
  const show = (next: Open) => {
    open.value = next
  }
  const done = (what: string) => {
    close()
    news.value = what
    changes.value++
    members.again()
  }
  const invited = ({ email, acceptUrl }: InvitationAnswer) => {
    done(`${email} is invited until the link ends.`)
    if (acceptUrl !== null) open.value = { what: 'link', email, link: acceptUrl }
  }
  const acts: Column<MemberRecordAnswer> = {
    head: 'Change',
    cell: (member) => <Acts member={member} open={show} done={done} />,
  }
  const at = open.value
  return (
    <Page
      title="Members"
      acts={
        mayChange && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              open.value = { what: 'invite' }
            }}
          >
            Invite a member
          </button>
        )
      }
    >
      <p role="status">{news.value}</p>
      <section>
        <Shown of={members}>
          {(list) => (
            <>
              <Rows
                caption="Members"
                columns={mayChange ? [...columns, acts] : columns}
                rows={list.members}
                keyOf={({ memberId }) => memberId}
              />
              <Pager of={list} />
            </>
          )}
        </Shown>
      </section>
      <InvitationsList changes={changes.value} mayChange={mayChange} done={done} sent={invited} />
      {at?.what === 'invite' && (
        <Dialog title="Invite a member" onClose={close}>
          <InviteForm onDone={invited} />
        </Dialog>
      )}
      {at?.what === 'link' && (
        <ShownOnce
          title="The link of the invitation"
          secret={at.link}
          use={`No mail was sent. Give this link to ${at.email}; it works once, for 72 hours.`}
          onClose={close}
        />
      )}
      {at?.what === 'role' && (
        <Dialog title={`What ${at.member.name ?? at.member.email} may do`} onClose={close}>
          <RoleForm
            member={at.member}
            onDone={() => done(`${at.member.name ?? at.member.email} may do something else now.`)}
          />
        </Dialog>
      )}
      {at?.what === 'cases' && (
        <Dialog title={`Open cases of ${at.member.name ?? at.member.email}`} onClose={close}>
          <OpenCases member={at.member} />
        </Dialog>
      )}
      {at?.what === 'authenticators' && (
        <Dialog title={`Authenticators of ${at.member.name ?? at.member.email}`} onClose={close}>
          <MemberAuthenticators member={at.member} />
        </Dialog>
      )}
      {at?.what === 'deactivate' && (
        <Dialog title={`Deactivate ${at.member.name ?? at.member.email}`} onClose={close}>
          <DeactivateMember
            member={at.member}
            onDone={() => done(`${at.member.name ?? at.member.email} can not log in any more.`)}
          />
        </Dialog>
      )}
    </Page>
  )
}

function Who({ name, email }: Pick<MemberRecordAnswer, 'name' | 'email'>) {
  return (
    <>
      {name ?? 'Not here yet'}
      <br />
      <span class="quiet">{email}</span>
    </>
  )
}

function StateOf({ status, invitation }: Pick<MemberRecordAnswer, 'status' | 'invitation'>) {
  return (
    <>
      {statusWords[status] ?? status}
      {invitation && (
        <span class="quiet">
          {' '}
          until <Time at={invitation.expiresAt} />
        </span>
      )}
    </>
  )
}

function RoleOf({ role, permissions }: Pick<MemberRecordAnswer, 'role' | 'permissions'>) {
  const granted = permissions.filter((one) => !permissionsOfRole[role]?.includes(one))
  return (
    <>
      {roleWords[role]?.name ?? role}
      {granted.length > 0 && (
        <ul class="plain">
          {granted.map((one) => (
            <li key={one}>{permissionWords[one] ?? one}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function Acts({
  member,
  open,
  done,
}: {
  readonly member: MemberRecordAnswer
  readonly open: (next: Open) => void
  readonly done: (what: string) => void
}) {
  const name = member.name ?? member.email
  return (
    <div class="acts">
      <button
        type="button"
        aria-label={`Role of ${name}`}
        onClick={() => open({ what: 'role', member })}
      >
        Role
      </button>
      {member.status === 'Active' && (
        <button
          type="button"
          aria-label={`Authenticators of ${name}`}
          onClick={() => open({ what: 'authenticators', member })}
        >
          Authenticators
        </button>
      )}
      {member.status === 'Active' && (
        <button
          type="button"
          aria-label={`Deactivate ${name}`}
          onClick={() => open({ what: 'deactivate', member })}
        >
          Deactivate
        </button>
      )}
      {member.status === 'Suspended' && (
        <button
          type="button"
          aria-label={`Open cases of ${name}`}
          onClick={() => open({ what: 'cases', member })}
        >
          Open cases
        </button>
      )}
      {member.status === 'Suspended' && (
        <AskingButton
          label={`Reactivate ${name}`}
          title={`Reactivate ${name}`}
          act="Reactivate"
          run={() => api.members.reactivate({ memberId: member.memberId })}
          then={() => done(`${name} can log in again.`)}
          means={<p>{name} can log in again, with the role and the permissions of before.</p>}
        >
          Reactivate
        </AskingButton>
      )}
    </div>
  )
}
