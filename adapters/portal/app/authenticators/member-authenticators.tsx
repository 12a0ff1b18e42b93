import type { AuthenticatorAnswer, MemberRecordAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Act } from '../parts/act.tsx'
import { Failure } from '../parts/failure.tsx'
import { Shown } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { session } from '../session.ts'
import { AuthenticatorList } from './list.tsx'

/** A member's authenticators for an admin, who revokes those that were lost, and adds none. */
export function MemberAuthenticators({
  member: { memberId },
}: {
  readonly member: MemberRecordAnswer
}) {
  const writing = useWrite()
  const isOwn = memberId === session.value?.member.memberId
  const theirs = useRead(memberId, (signal) => api.members.authenticators({ memberId }, { signal }))
  const revoke = async (authenticatorId: string) => {
    const given = { memberId, authenticatorId }
    if (await writing.run(() => api.members.revokeAuthenticator(given))) theirs.again()
  }
  return (
    <>
      <Failure error={writing.error.value} />
      <p>
        Revoke what was lost: it signs nothing any more, and the member is told by mail. They sign
        every decision, so without one they can not decide: who has none left gets a link that adds
        another, good for an hour, once a second admin has sent it too, where there is one.
      </p>
      <Shown of={theirs}>
        {({ authenticators }) => (
          <>
            <SendAgain authenticators={authenticators} writing={writing} onSend={revoke} />
            <AuthenticatorList
              authenticators={authenticators}
              acts={({ authenticatorId, name }) =>
                isOwn ? (
                  <a href={to('/me')}>Revoke {name} on your own page</a>
                ) : (
                  <Act writing={writing} onPress={() => revoke(authenticatorId)}>
                    Revoke {name}
                  </Act>
                )
              }
            />
          </>
        )}
      </Shown>
    </>
  )
}

/** The link again, for whom an hour was not enough: revoking what is revoked sends it. */
function SendAgain({
  authenticators,
  writing,
  onSend,
}: {
  readonly authenticators: readonly AuthenticatorAnswer[]
  readonly writing: ReturnType<typeof useWrite>
  readonly onSend: (authenticatorId: string) => Promise<void>
}) {
  const last = authenticators.at(-1)
  if (!last || authenticators.some(({ revokedAt }) => revokedAt === null)) return null
  return (
    <Act writing={writing} onPress={() => onSend(last.authenticatorId)}>
      Send the link
    </Act>
  )
}
