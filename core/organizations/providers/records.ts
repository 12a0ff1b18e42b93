import { permissions } from '../../kernel/callers/actor.ts'
import { longest, most } from '../../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import {
  flag,
  line,
  type Named,
  type OutsOf,
  oneOf,
  pattern,
  type RowsOf,
  type Shape,
  stored,
  text,
  time,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull } from '../../kernel/wrap.ts'

/** A domain of e-mail addresses as it is compared: lower case, in ASCII. */
export const emailDomain: Shape<string> = pattern(
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
  'a domain in lower case, such as acme.example',
  253,
)

/** What an auditor may whom the provider signs in and the organization does not know yet. */
const provision = { permissions: listOf(oneOf(permissions)) }

/** What admins set of a provider, but for its secret. */
export const providerSettings = {
  /** The provider's `issuer`, an https URL. */
  issuer: text(longest.url),
  clientId: line(longest.pattern),
  /** Whose addresses it vouches for. */
  emailDomains: listOf(emailDomain, { most: most.emailDomains, least: 1 }),
  /** Makes auditors of those whom it does not know; null: members alone are let in. */
  provision: orNull(object(provision)),
  /** Members sign in by the provider alone. */
  required: flag,
  /** The one admin who then still signs in by password; null unless `required`. */
  breakGlassMemberId: orNull(line(longest.id)),
}

const shown = {
  ...providerSettings,
  /** For the client at the provider: where it sends browsers back to. */
  redirectUri: text(longest.url),
  updatedAt: time,
}
/** A provider as members see it. */
export interface ProviderView extends OutsOf<typeof shown> {}
export const providerShape: Named<typeof shown, ProviderView> = object(shown, 'SignInProvider')

/** The OpenID provider of an organization. */
export const signInProviders = table({
  name: 'signInProviders',
  members: {
    tenantId: line(longest.id),
    ...providerSettings,
    clientSecret: stored<string>(),
    /** Another one with each change, which ends sign-ins that were begun. */
    settingsId: line(longest.id),
    updatedAt: time,
  },
  key: ['tenantId'],
  indexes: {},
  sealed: ['clientSecret'],
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one of an organization' },
})
/** The OpenID provider of an organization. */
export interface SignInProvider extends RowsOf<typeof signInProviders.members> {}

/** Domains of e-mail addresses, each of the one organization that proved that it is theirs. */
export const signInDomains = table({
  name: 'signInDomains',
  members: { tenantId: line(longest.id), domain: emailDomain, provedAt: time },
  key: ['tenantId', 'domain'],
  indexes: {},
  columns: ['domain'],
  unique: { domain: { on: ['domain'] } },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'a few of an organization' },
})

/** Whom a provider knows a member as, from their first sign-in on. */
export const providerIdentities = table({
  name: 'providerIdentities',
  members: {
    tenantId: line(longest.id),
    memberId: line(longest.id),
    issuer: text(longest.url),
    /** Hex SHA-256 of the canonical JSON of issuer and subject. */
    identityDigest: line(longest.id),
    linkedAt: time,
  },
  key: ['tenantId', 'memberId'],
  indexes: {},
  columns: ['identityDigest'],
  unique: { identity: { on: ['tenantId', 'identityDigest'] } },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one of a member' },
})
/** Whom a provider knows a member as. */
export interface ProviderIdentityRow extends RowsOf<typeof providerIdentities.members> {}

/** Where providers send browsers back to. */
export function redirectUriOf({ portalUrl }: { readonly portalUrl: string }): string {
  return `${portalUrl}/login/provider`
}

export function providerView(row: SignInProvider, tools: { readonly portalUrl: string }) {
  return showAll(shown, { ...row, redirectUri: redirectUriOf(tools) })
}

/** Whether a member signs in by the provider of their organization alone. */
export function mustUseProvider(provider: SignInProvider | null, memberId: string): boolean {
  return provider?.required === true && !isBreakGlass(provider, memberId)
}

/** Whether a member is the one who may sign in otherwise where the provider is required. */
export function isBreakGlass(provider: SignInProvider, memberId: string): boolean {
  return provider.required && provider.breakGlassMemberId === memberId
}
