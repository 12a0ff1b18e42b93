import type { Authenticators } from '../../base/ports/authenticators.ts'
import type { Clock } from '../../base/ports/clock.ts'
import type { IdentityProviders } from '../../base/ports/identity-providers.ts'
import type { Observer } from '../../base/ports/observer.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Passwords, Sealer, SessionTokens } from '../../base/ports/secrets.ts'
import type { ChangeSet } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import type { Ledger, UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Post } from '../../kernel/mail/post.ts'
import type { RelyingParty } from '../authenticators/relying-party.ts'

/** What of another room ends in the commit after which a member is an active admin no more. */
export type EndsWithAdmin = (
  unit: UnitOfWork,
  by: MemberActor,
  memberId: string,
) => Promise<Required<Pick<ChangeSet, 'puts' | 'appends'>>>

/** What this room needs of the host. */
export interface AccessDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly random: Random
  readonly passwords: Passwords
  readonly tokens: SessionTokens
  readonly observer: Observer
  readonly post: Post
  readonly sealer: Sealer
  /** Absent: nobody can enrol an authenticator. */
  readonly authenticators?: Authenticators
  readonly relyingParty: RelyingParty
  /** Absent: no organization can have its members sign in by a provider. */
  readonly identityProviders?: IdentityProviders
  /** The portal's base URL without a slash at its end; links in invitations begin with it. */
  readonly portalUrl: string
  /** Absent: nothing of other rooms ends. */
  readonly endsWithAdmin?: EndsWithAdmin
}
