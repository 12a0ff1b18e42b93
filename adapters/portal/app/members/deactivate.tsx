import type { MemberRecordAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Shown } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { to } from '../paths.ts'

/** What a deactivation means, with the cases that the member would leave. */
export function DeactivateMember({
  member: { memberId, name, email },
  onDone,
}: {
  readonly member: MemberRecordAnswer
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const cases = useRead(memberId, (signal) =>
    api.reviewCases.list({ assignee: memberId, state: 'open', page: 1, pageSize: 20 }, { signal }),
  )
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
      <Shown of={cases}>
        {({ reviewCases, totalCount }) =>
          totalCount === 0 ? (
            <p>They have no open case.</p>
          ) : (
            <>
              <p>
                They have {totalCount === 1 ? 'an open case' : `${totalCount} open cases`}. Nobody
                takes them by itself: hand them over, or they expire undecided.
              </p>
              <ul>
                {reviewCases.map(({ reviewCaseId, dueAt, reviewTier }) => (
                  <li key={reviewCaseId}>
                    <a href={to(`/cases/${encodeURIComponent(reviewCaseId)}`)}>
                      <code>{reviewCaseId}</code>
                    </a>
                    , {reviewTier}, due <Time at={dueAt} />
                  </li>
                ))}
              </ul>
              {totalCount > reviewCases.length && (
                <p class="quiet">And {totalCount - reviewCases.length} more.</p>
              )}
            </>
          )
        }
      </Shown>
      <p class="acts">
        <Act writing={writing} onPress={deactivate} primary>
          Deactivate
        </Act>
      </p>
    </>
  )
}
