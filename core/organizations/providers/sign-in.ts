import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { DeviceClaims } from '../../base/ports/secrets.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, list, one } from '../../kernel/ledger/reads.ts'
import { refuse } from '../../kernel/ledger/refusal.ts'
import { object } from '../../kernel/members.ts'
import { Afterwards, operationsWith } from '../../kernel/operation.ts'
import { answered } from '../../kernel/query.ts'
import { anyText, text, time } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { fromHost, optional } from '../../kernel/wrap.ts'
import { base64Url, decodeBase64Url } from '../../proof/signing/encoding.ts'
import { caller } from '../access/caller.ts'
import { emailKeyOf, isPossibleEmail } from '../access/email.ts'
import { loginShape } from '../access/present.ts'
import { type Member, members, spentStatements, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { challengeMs } from '../authenticators/challenges.ts'
import { deviceSubject } from '../logins/devices.ts'
import { issue } from '../logins/login.ts'
import type { LoginOutcome } from '../logins/login-throttle.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { memberByEmail, newMember } from '../members/new-member.ts'
import { type Admission, admit, domainOf, identityDigest, type Known } from './admission.ts'
import { ownerOfDomain } from './domains.ts'
import {
  providerIdentities,
  redirectUriOf,
  type SignInProvider,
  signInProviders,
} from './records.ts'

const { command, reading } = operationsWith<AccessTools>()

const secretBytes = 32
const context = 'sign-in by a provider'
const fromUtf8 = new TextDecoder()

/** What the browser that began a sign-in keeps of it, sealed. */
interface Begun {
  readonly tenantId: string
  readonly settingsId: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** Ms. */
  readonly issuedAt: number
}

/** Where a browser goes to sign in, and until when it can come back. */
export const begunAtProvider = object(
  { url: text(longest.url * 2), expiresAt: time },
  'BegunAtProvider',
)

/** Begins a sign-in by the OpenID provider of the organization that has the address's domain. Nothing is stored. */
export const startProvider = reading({
  name: 'auth.startProvider',
  doc: "Begin a sign-in by the organization's OpenID provider",
  by: 'anyone',
  right: null,
  takes: { email: anyText(longest.email) },
  /** `browserToken`: for the browser to keep and to send with the provider's answer, and for no page to read. */
  gives: object(
    { url: text(longest.url * 2), expiresAt: time, browserToken: text(longest.url) },
    'NewAtProvider',
  ),
  refuses: ['not_found', 'unavailable'],
  async run({ ask, refuse, tools }, { email }) {
    const owner = isPossibleEmail(email) ? await ownerOfDomain(tools.ledger, domainOf(email)) : null
    const { provider } = await ask({
      provider: owner === null ? answered(null) : signInProviders.get(owner),
    })
    if (!provider)
      return refuse('not_found', 'no organization has addresses of this domain sign in so')
    const { clock, random, sealer, identityProviders: port } = tools
    if (!port) return refuse('unavailable', 'this service asks no providers')
    const fresh = () => base64Url(random.bytes(secretBytes))
    const secrets = { state: fresh(), nonce: fresh(), codeVerifier: fresh() }
    const { tenantId, settingsId } = provider.row
    const issuedAt = clock.now()
    const begun: Begun = { tenantId, settingsId, ...secrets, issuedAt }
    const asked = { client: provider.row, redirectUri: redirectUriOf(tools), secrets }
    const answer = await port.begin({ ...asked, loginHint: email })
    if (!answer.ok) return refuse('unavailable', 'the provider of the organization does not answer')
    return {
      url: answer.url,
      expiresAt: isoTime(issuedAt + challengeMs),
      browserToken: base64Url(sealer.seal(utf8ToBytes(JSON.stringify(begun)), context)),
    }
  },
})

/**
 * Issues a session to whom the organization's provider signed in, by the answer to a sign-in that this browser began
 * within 5 minutes, once. Who is let in is decided by `admit`; whatever is wrong is refused alike.
 */
export const signInByProvider = command({
  name: 'auth.provider',
  doc: "Log in whom the organization's OpenID provider signed in",
  by: 'anyone',
  right: null,
  takes: {
    /** Of the address that the provider sent the browser back to. */
    query: anyText(longest.credentialData),
    ...caller,
    browserToken: optional(fromHost<string | null>()),
  },
  gives: loginShape,
  refuses: ['invalid_credentials', 'account_suspended', 'too_many_attempts', 'unavailable', 'busy'],
  around: ({ tools }, input, run) =>
    tools.tries.logins.count(
      input,
      {
        failure: 'invalid_credentials',
        decided: (outcome: LoginOutcome) => tools.observer.event('login', { outcome }),
      },
      run,
    ),
  async prepare({ ask, orRefuse, tools }, { query, browserToken }) {
    const begun = begunBy(tools, browserToken ?? '')
    if (!begun) return orRefuse(notSignedIn())
    const { provider } = await ask({ provider: signInProviders.get(begun.tenantId) })
    if (!provider || provider.row.settingsId !== begun.settingsId) return orRefuse(notSignedIn())
    const { identityProviders: port } = tools
    if (!port) return orRefuse(refuse('unavailable', 'this service asks no providers'))
    const { state, nonce, codeVerifier } = begun
    const told = await port.complete({
      ...{ client: provider.row, redirectUri: redirectUriOf(tools), query },
      secrets: { state, nonce, codeVerifier },
    })
    if (told.ok) return { begun, identity: told.identity }
    return orRefuse(
      told.fault === 'refused'
        ? notSignedIn()
        : refuse('unavailable', 'the provider of the organization does not answer'),
    )
  },
  async run(unit, { device }, { begun, identity }) {
    const { tenantId, nonce } = begun
    const { provider, tenant, spent } = await unit.ask({
      provider: signInProviders.get(tenantId),
      tenant: tenants.get(tenantId),
      spent: spentStatements.get(tenantId, nonce),
    })
    if (!provider || provider.row.settingsId !== begun.settingsId || spent)
      return unit.orRefuse(notSignedIn())
    const digest = identityDigest(provider.row.issuer, identity.subject)
    const admission = admit(
      provider.row,
      identity,
      await knownAs(unit, tenantId, digest, identity.email),
    )
    if (admission.as === 'nobody') return unit.orRefuse(notSignedIn())
    if (tenant?.row.status !== 'active') return unit.orRefuse(accountSuspended())
    unit.put(spentStatements, { tenantId, nonce, spentAt: unit.now })
    const member = await entered(unit, provider.row, digest, admission)
    const { memberId, email } = member
    const known: DeviceClaims | null = await unit.tools.tries.logins.devices.returning({
      ...{ email, device },
    })
    const detail = { device: known ? 'known' : 'new', issuer: provider.row.issuer }
    unit.audit('member.logged_in', memberId, detail, tenantId, `member:${memberId}`)
    const subject = deviceSubject(emailKeyOf(email))
    const providerAt = Math.floor(unit.now / 1000)
    return new Afterwards(async () =>
      unit.orRefuse(await issue(unit.tools, member, subject, known, { providerAt })),
    )
  },
})

type Entering = Unit<null, 'invalid_credentials', AccessTools>

/** Who an identity is, by the rows of the organization. */
async function knownAs(
  { read }: Pick<Entering, 'read'>,
  tenantId: string,
  digest: string,
  email: string | null,
): Promise<Known> {
  const isSought = email !== null && isPossibleEmail(email)
  const [foundLink, foundNamed] = await read([
    list(providerIdentities, {
      where: [
        ['tenantId', '=', tenantId],
        ['identityDigest', '=', digest],
      ],
      take: 1,
    }),
    ...(isSought ? [memberByEmail(email)] : []),
  ])
  const link = one(providerIdentities, foundLink)
  const byAddress = one(members, foundNamed)
  const named = byAddress?.row.tenantId === tenantId ? byAddress : null
  const [foundLinked] = link ? await read([get(members, [tenantId, link.row.memberId])]) : []
  const [foundNamedAs] = named
    ? await read([get(providerIdentities, [tenantId, named.row.memberId])])
    : []
  return {
    linked: one(members, foundLinked),
    named,
    namedAs: one(providerIdentities, foundNamedAs)?.row ?? null,
    isElsewhere: byAddress !== null && named === null,
  }
}

/** The member who is let in, whose row is a check of the commit; made, or linked to the identity, where they were not. */
async function entered(
  unit: Entering,
  { tenantId, issuer, provision }: SignInProvider,
  identityDigest: string,
  admission: Exclude<Admission, { as: 'nobody' }>,
): Promise<Member> {
  const linkedAt = unit.now
  if (admission.as === 'new') {
    const { email, name } = admission
    const permissions = provision?.permissions ?? []
    const memberId = unit.id('mem')
    const who = { name, email, role: 'CustomerAuditor', permissions } as const
    const member = newMember(who, { tenantId, memberId, passwordHash: null, now: unit.now })
    unit.put(members, member)
    unit.put(providerIdentities, { tenantId, memberId, issuer, identityDigest, linkedAt })
    const detail = { permissions: permissions.join(', '), issuer }
    unit.audit('member.provisioned', memberId, detail, tenantId, `member:${memberId}`)
    return member
  }
  const { memberId } = admission.member.row
  const { member, was } = await unit.ask({
    member: members.get(tenantId, memberId),
    was: providerIdentities.get(tenantId, memberId),
  })
  if (member?.row.status !== 'Active') return unit.orRefuse(notSignedIn())
  if (admission.links) {
    unit.put(providerIdentities, { tenantId, memberId, issuer, identityDigest, linkedAt }, was)
    unit.audit('member.linked', memberId, { issuer }, tenantId, `member:${memberId}`)
  }
  return member.row
}

/** What the browser keeps of a sign-in that it began and that has not ended; null for anything else. */
function begunBy({ sealer, clock }: AccessTools, browserToken: string): Begun | null {
  const sealed = decodeBase64Url(browserToken)
  if (!sealed) return null
  try {
    const begun = JSON.parse(fromUtf8.decode(sealer.open(sealed, context))) as Begun
    return clock.now() - begun.issuedAt < challengeMs ? begun : null
  } catch {
    // Callers send it: it may be anything.
    return null
  }
}

function notSignedIn(): ReturnType<typeof refuse<'invalid_credentials'>> {
  return refuse(
    'invalid_credentials',
    "expected the provider's answer to a sign-in that this browser began within 5 minutes, once, for a member of its organization",
  )
}
