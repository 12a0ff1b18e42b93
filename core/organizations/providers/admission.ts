import { digestOf } from '../../base/canonical/digest.ts'
import type { ProviderIdentity } from '../../base/ports/identity-providers.ts'
import type { Versioned } from '../../base/ports/store.ts'
import { checkName } from '../../kernel/ledger/check-text.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { emailKeyOf, isPossibleEmail } from '../access/email.ts'
import type { Member } from '../access/records.ts'
import type { ProviderIdentityRow, SignInProvider } from './records.ts'

/** Who an identity is to an organization, as its rows have it. */
export interface Known {
  /** The member that this identity was linked to. */
  readonly linked: Versioned<Member> | null
  /** The member of the organization with this address, and whom the provider knows them as. */
  readonly named: Versioned<Member> | null
  readonly namedAs: ProviderIdentityRow | null
  /** A member of another organization has the address. */
  readonly isElsewhere: boolean
}

/** Who is let in: a member, linked from now on where they were not, or somebody new. */
export type Admission =
  | { readonly as: 'member'; readonly member: Versioned<Member>; readonly links: boolean }
  | { readonly as: 'new'; readonly email: string; readonly name: string }
  | { readonly as: 'nobody'; readonly why: string }

/**
 * Decides whom a provider lets in. It vouches for verified addresses of its organization's domains alone; a member is
 * found by the address once, and by the provider's own id from then on.
 */
export function admit(
  provider: Pick<SignInProvider, 'issuer' | 'emailDomains' | 'provision'>,
  { email, emailVerified, name }: ProviderIdentity,
  { linked, named, namedAs, isElsewhere }: Known,
): Admission {
  const nobody = (why: string) => ({ as: 'nobody', why }) as const
  if (email === null || !emailVerified || !isPossibleEmail(email))
    return nobody('the provider vouches for no e-mail address')
  if (!provider.emailDomains.includes(domainOf(email)))
    return nobody("the address is in none of the organization's domains")
  if (linked) return active(linked, false) ?? nobody('the member is not active')
  if (named) {
    // An address that was given to somebody else: the provider's id of the first stays theirs.
    if (namedAs?.issuer === provider.issuer) return nobody('the address is of another person')
    return active(named, true) ?? nobody('the member is not active')
  }
  if (isElsewhere) return nobody('a member of another organization has the address')
  if (provider.provision === null) return nobody('no member has the address')
  const isName = name !== null && checkName(name, '', longest.name).length === 0
  return { as: 'new', email, name: isName ? name.trim() : email }
}

function active(member: Versioned<Member>, links: boolean): Admission | null {
  return member.row.status === 'Active' ? { as: 'member', member, links } : null
}

/** The part of an address after its last @, as domains are compared. */
export function domainOf(email: string): string {
  return emailKeyOf(email.slice(email.lastIndexOf('@') + 1))
}

/** What an identity is stored as: an id of the provider's own, of whatever length. */
export function identityDigest(issuer: string, subject: string): string {
  return digestOf([issuer, subject])
}
