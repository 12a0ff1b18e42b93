import type { MemberRecordAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { type Entered, Form } from '../parts/form.tsx'
import { GrantFields, grantsIn } from './grants.tsx'

export function RoleForm({
  member,
  onDone,
}: {
  readonly member: MemberRecordAnswer
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const asked = { memberId: member.memberId, ...grantsIn(entered) }
    if (await writing.run(() => api.members.setRole(asked))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Save">
      <p>
        {member.status === 'Active'
          ? 'It holds at once; the member has to log in again.'
          : 'It holds from when the member is active.'}
      </p>
      <GrantFields of={member} error={writing.error.value} />
    </Form>
  )
}
