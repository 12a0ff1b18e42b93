import type { AuthenticatorAnswer } from '@countersign/client'
import type { ComponentChildren } from 'preact'
import { Text } from '../case/text.tsx'
import { Time } from '../parts/time.tsx'

const kinds = { [-8]: 'Ed25519', [-7]: 'ES256', [-257]: 'RS256' } as const

/** Authenticators of a member, with what can be done about those that are not revoked. */
export function AuthenticatorList({
  authenticators,
  acts,
}: {
  readonly authenticators: readonly AuthenticatorAnswer[]
  readonly acts: (authenticator: AuthenticatorAnswer) => ComponentChildren
}) {
  if (authenticators.length === 0) return <p>None was added.</p>
  return (
    <ul>
      {authenticators.map((each) => (
        <li key={each.authenticatorId}>
          <strong>
            <Text text={each.name} />
          </strong>
          , {kinds[each.algorithm as keyof typeof kinds]}
          {each.use === 'sign_in' && ', for logging in'}
          {each.attestedBy !== null && ', its model is proven'}
          {each.backedUp && ', may be copied to other devices'}, added <Time at={each.createdAt} />
          {each.lastUsedAt !== null && (
            <>
              , last used <Time at={each.lastUsedAt} />
            </>
          )}
          {each.revokedAt === null ? (
            <div class="acts">{acts(each)}</div>
          ) : (
            <>
              , revoked <Time at={each.revokedAt} />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
