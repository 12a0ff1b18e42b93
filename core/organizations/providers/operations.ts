import type { MemberActor } from '../../kernel/callers/actor.ts'
import { refuseErrors, wrong } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { type FieldError, type RefusalCode, refuse } from '../../kernel/ledger/refusal.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { anyText, just } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { optional, orNull } from '../../kernel/wrap.ts'
import { base64Url } from '../../proof/signing/encoding.ts'
import { members } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { ownOf } from '../authenticators/unit.ts'
import { isAdmin } from '../members/roster.ts'
import { tellAdmins } from '../members/tell-admins.ts'
import { ownerOfDomain } from './domains.ts'
import { checkedPassword, countingProof, ofProof, proof, prove } from './prove-admin.ts'
import {
  providerSettings,
  providerShape,
  providerView,
  redirectUriOf,
  type SignInProvider,
  signInDomains,
  signInProviders,
} from './records.ts'

const { command, reading } = operationsWith<AccessTools>()

/** The organization's OpenID provider, without the secret; null where it has none. */
export const readProvider = reading({
  name: 'signInProvider.read',
  doc: "Read the organization's OpenID provider",
  right: 'readMembers',
  takes: {},
  gives: object({ provider: orNull(providerShape) }, 'SignInProviderSettings'),
  refuses: [],
  async run({ ask, by, tools }) {
    const { provider } = await ask({ provider: signInProviders.get(by.tenantId) })
    return { provider: provider && providerView(provider.row, tools) }
  },
})

/**
 * Sets the organization's OpenID provider: it must answer as the issuer that it is said to be, and each new domain must
 * have the TXT record `countersign=<tenantId>`. Mailed to all admins.
 */
export const setProvider = command({
  name: 'signInProvider.set',
  doc: "Set the organization's OpenID provider; all admins are told by mail",
  right: 'manageMembers',
  takes: { ...providerSettings, clientSecret: optional(anyText(longest.secret)), ...proof },
  gives: object({ provider: orNull(providerShape) }, 'SignInProviderSettings'),
  refuses: [...ofProof, 'invalid_request', 'unavailable'],
  also: ({ required, breakGlassMemberId }) =>
    required === (breakGlassMemberId !== null)
      ? []
      : [wrong('/breakGlassMemberId', 'expected an admin where `required`, else null')],
  around: ({ by, tools }, input, run) => countingProof({ by, tools }, input, run),
  async prepare(lookup, given) {
    const { by, ask, orRefuse, tools } = lookup
    const hash = await checkedPassword(lookup, given)
    const { identityProviders: port, random } = tools
    if (!port) return orRefuse(refuse('unavailable', 'this service asks no providers'))
    const { was } = await ask({ was: signInProviders.get(by.tenantId) })
    // The secret that is there is this client's at its issuer, and is sent to no other.
    const isSameClient = was?.row.issuer === given.issuer && was.row.clientId === given.clientId
    const clientSecret = given.clientSecret ?? (isSameClient ? was.row.clientSecret : undefined)
    const faults: FieldError[] = []
    if (clientSecret === undefined)
      faults.push(wrong('/clientSecret', 'expected the client’s secret'))
    else {
      const fresh = () => base64Url(random.bytes(32))
      const begun = await port.begin({
        client: { issuer: given.issuer, clientId: given.clientId, clientSecret },
        redirectUri: redirectUriOf(tools),
        secrets: { state: fresh(), nonce: fresh(), codeVerifier: fresh() },
        loginHint: '',
      })
      if (!begun.ok) faults.push(wrong('/issuer', `expected a provider: ${begun.detail}`))
    }
    const text = `countersign=${by.tenantId}`
    for (const [at, domain] of given.emailDomains.entries()) {
      const owner = await ownerOfDomain(tools.ledger, domain)
      const pointer = `/emailDomains/${at}`
      if (owner === by.tenantId) continue
      if (owner !== null)
        faults.push(wrong(pointer, 'expected a domain that no other organization has'))
      else if (!(await port.texts(domain).catch((): readonly string[] => [])).includes(text))
        faults.push(wrong(pointer, `expected a TXT record "${text}" of the domain`))
    }
    const refused = refuseErrors(faults)
    if (refused) return orRefuse(refused)
    return { hash, clientSecret: clientSecret ?? '', settingsId: base64Url(random.bytes(16)) }
  },
  async run(unit, given, { hash, clientSecret, settingsId }) {
    const { tenantId } = unit.by
    await prove(unit, 'signInProvider.set', given, hash)
    const { was, domains } = await unit.ask({
      was: signInProviders.get(tenantId),
      domains: signInDomains.by('key', { tenantId }),
    })
    await checkBreakGlass(unit, given.breakGlassMemberId)
    for (const domain of given.emailDomains)
      if (!domains.rows.some(({ row }) => row.domain === domain))
        unit.put(signInDomains, { tenantId, domain, provedAt: unit.now })
    for (const each of domains.rows)
      if (!given.emailDomains.includes(each.row.domain)) unit.remove(signInDomains, each)
    const { issuer, clientId, emailDomains, provision, required, breakGlassMemberId } = given
    const row: SignInProvider = {
      ...{ tenantId, issuer, clientId, clientSecret, emailDomains, provision, required },
      ...{ breakGlassMemberId, settingsId, updatedAt: unit.now },
    }
    unit.put(signInProviders, row, was)
    unit.audit('sign_in_provider.set', tenantId, {
      ...{ issuer, clientId, emailDomains: emailDomains.join(', '), required },
      provisions: provision !== null,
    })
    const how = required ? 'by it alone' : 'by it, beside passwords'
    const text = `Members sign in ${how} now: ${issuer}, for ${emailDomains.join(', ')}.`
    await tellAdmins(unit, tenantId, 'sign_in', { about: null, text })
    return { provider: providerView(row, unit.tools) }
  },
})

/** Removes the organization's OpenID provider; members sign in as before it. Mailed to all admins. */
export const removeProvider = command({
  name: 'signInProvider.remove',
  doc: "Remove the organization's OpenID provider; all admins are told by mail",
  right: 'manageMembers',
  takes: proof,
  gives: object({ removed: just(true) }, 'SignInProviderRemoved'),
  refuses: ofProof,
  around: ({ by, tools }, input, run) => countingProof({ by, tools }, input, run),
  prepare: (lookup, given) => checkedPassword(lookup, given),
  async run(unit, given, hash) {
    const { tenantId } = unit.by
    await prove(unit, 'signInProvider.remove', given, hash)
    const { was, domains } = await unit.ask({
      was: signInProviders.get(tenantId),
      domains: signInDomains.by('key', { tenantId }),
    })
    if (!was) return { removed: true as const }
    unit.remove(signInProviders, was)
    for (const each of domains.rows) unit.remove(signInDomains, each)
    unit.audit('sign_in_provider.removed', tenantId, { issuer: was.row.issuer })
    const text = `Nobody signs in by ${was.row.issuer} any more.`
    await tellAdmins(unit, tenantId, 'sign_in', { about: null, text })
    return { removed: true as const }
  },
})

/** What admins do about the provider of their organization. */
export const providerOperations = [readProvider, setProvider, removeProvider] as const

type Admins = Unit<MemberActor, RefusalCode, AccessTools>

/** Ends the operation unless who is to sign in by password is an active admin with an authenticator. */
async function checkBreakGlass(unit: Admins, memberId: string | null): Promise<void> {
  if (memberId === null) return
  const { tenantId } = unit.by
  const { member, own } = await unit.ask({
    member: members.get(tenantId, memberId),
    own: ownOf(tenantId, memberId),
  })
  const isGuarded = own.rows.some(({ row }) => row.revokedAt === null)
  if (member && isAdmin(member.row) && isGuarded) return
  const detail = 'expected an active admin who has an authenticator'
  unit.orRefuse(refuseErrors([wrong('/breakGlassMemberId', detail)]))
}
