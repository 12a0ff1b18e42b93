import type { MemberRecordAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { OpenCases } from './open-cases.tsx'

/** What a deactivation means, with the cases that the member would leave. */
export function DeactivateMember({
  member,
  onDone,
}: {
  readonly member: MemberRecordAnswer
  readonly onDone: () => void
}) {
  const { memberId, name, email } = member
  const writing = useWrite()
  const deactivate = async () => {
    if (await writing.run(() => api.members.deactivate({ memberId, confirm: true }))) onDone()
  }
  return (
    <>
      <Failure error={writing.error.value} />
      <p>
        {name ?? email} is logged out everywhere at once and can not log in any more. What they did
        stays on record, and an admin can reactivate them.
      </p>
      <OpenCases member={member} />
      <p class="acts">
        <Act writing={writing} onPress={deactivate} primary>
          Deactivate
        </Act>
      </p>
    </>
  )
}
