import type { SessionClaims } from '../../base/ports/secrets.ts'
import { checkLine } from '../../kernel/ledger/check-text.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, refuse } from '../../kernel/ledger/refusal.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { answered } from '../../kernel/query.ts'
import { flag, just } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'
import type { AccessDeps } from '../access/deps.ts'
import { memberActor, memberView, sessionShape } from '../access/present.ts'
import { endedSessions, members, tenants } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { authenticators } from '../authenticators/records.ts'
import { mustUseProvider, signInProviders } from '../providers/records.ts'
import { opens } from './sign-in-rule.ts'

/** For `Retry-After`, in seconds: OTLP clients retry a 503. */
const suspendedRetryAfter = 3600

/** 503 (interface, Errors). */
export function accountSuspended(): ReturnType<typeof refuse<'account_suspended'>> {
  return refuse('account_suspended', "the organization's account is suspended", {
    retryAfter: suspendedRetryAfter,
  })
}

/** Reads the store at each request, so that a logout or a deactivation takes effect from the next one on. */
export function authenticateMember(ports: AccessDeps): AccessUseCases['authenticateMember'] {
  const { ledger, clock, tokens } = ports
  return async (token) => {
    const claims = await tokens.verify(token, clock.now())
    if (!claims || !namesRows(claims)) return noSession()
    const { tenantId, memberId, tokenId, authenticatorId, providerAt } = claims
    const isByPasskey = authenticatorId !== undefined
    const isByProvider = providerAt !== undefined
    const [foundMember, foundTenant, foundEnd, ...foundMeans] = await ledger.read(tenantId, [
      get(members, [tenantId, memberId]),
      get(tenants, [tenantId]),
      get(endedSessions, [tenantId, tokenId]),
      ...(isByProvider ? [] : [get(signInProviders, [tenantId])]),
      ...(isByPasskey ? [get(authenticators, [tenantId, memberId, authenticatorId])] : []),
    ])
    const member = one(members, foundMember)?.row
    const tenant = one(tenants, foundTenant)?.row
    if (!tenant || member?.status !== 'Active') return noSession()
    if (member.sessionVersion !== claims.sessionVersion) return noSession()
    if (one(endedSessions, foundEnd)) return noSession()
    if (isByPasskey && one(authenticators, foundMeans.at(-1))?.row.revokedAt !== null)
      return noSession()
    // A sign-in that would be refused now opens nothing any more.
    const provider = isByProvider ? null : one(signInProviders, foundMeans[0])
    if (mustUseProvider(provider?.row ?? null, memberId)) return noSession()
    const means = isByPasskey ? 'passkey' : 'password'
    if (!isByProvider && !opens(means, tenant, member)) return noSession()
    if (tenant.status === 'suspended') return accountSuspended()
    return ok(memberActor(member, claims))
  }
}

/** Whether the claims' ids can be keys of rows. A store takes others, such as text with NUL, for malformed. */
function namesRows({ tenantId, memberId, tokenId, authenticatorId }: SessionClaims): boolean {
  return [
    tenantId,
    memberId,
    tokenId,
    ...(authenticatorId === undefined ? [] : [authenticatorId]),
  ].every((id) => id !== '' && checkLine(id, '', longest.id).length === 0)
}

const { command, reading } = operationsWith<AccessTools>()

/** The member and the organization of the caller's session. */
export const readMemberSession = reading({
  name: 'auth.session',
  doc: 'Read the member behind the session',
  right: null,
  takes: {},
  gives: sessionShape,
  refuses: ['authentication_required'],
  async run({ by, ask, orRefuse }) {
    const { tenantId, memberId, sessionEndsAt } = by
    const { member } = await ask({ member: members.get(tenantId, memberId) })
    if (!member) return orRefuse(noSession())
    const expiresAt = sessionEndsAt === undefined ? null : isoTime(sessionEndsAt)
    return { member: memberView(member.row), tenantId, expiresAt }
  },
})

/**
 * Ends the caller's own session, or every session of the member by raising their session version. A host with
 * sessions of its own has no token to end, so that there every logout is everywhere.
 */
export const logout = command({
  name: 'auth.logout',
  doc: 'End the session, or all sessions of the member',
  right: null,
  takes: { everywhere: optional(flag) },
  gives: object({ loggedOut: just(true) }, 'Logout'),
  refuses: ['authentication_required'],
  async run(unit, { everywhere = false }) {
    const { tenantId, memberId, sessionId } = unit.by
    const tokenId = everywhere ? undefined : sessionId
    const { was, ended } = await unit.ask({
      was: members.get(tenantId, memberId),
      ended: tokenId === undefined ? answered(null) : endedSessions.get(tenantId, tokenId),
    })
    if (!was || ended) return { loggedOut: true as const }
    if (tokenId === undefined)
      unit.put(
        members,
        { ...was.row, sessionVersion: was.row.sessionVersion + 1, updatedAt: unit.now },
        was,
      )
    else unit.put(endedSessions, { tenantId, tokenId, memberId, endedAt: unit.now })
    unit.audit('member.logged_out', memberId, { everywhere: tokenId === undefined })
    return { loggedOut: true as const }
  },
})

function noSession(): ReturnType<typeof refuse<'authentication_required'>> {
  return refuse('authentication_required', 'expected a valid session token')
}
