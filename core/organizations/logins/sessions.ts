import type { SessionClaims } from '../../base/ports/secrets.ts'
import { actorName } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { checkLine } from '../../kernel/ledger/check-text.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { answer, commit } from '../../kernel/ledger/ledger.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { ok, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { memberActor, memberView } from '../access/present.ts'
import { endedSessions, members, tenants } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'

/** Seconds: OTLP clients retry a 503. */
const suspendedRetryAfter = 3600

/** 503 (interface, Errors). */
export function accountSuspended(): ReturnType<typeof refuse> {
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
    const [foundMember, foundTenant, foundEnd] = await ledger.read(claims.tenantId, [
      get(members, [claims.tenantId, claims.memberId]),
      get(tenants, [claims.tenantId]),
      get(endedSessions, [claims.tenantId, claims.tokenId]),
    ])
    const member = one(members, foundMember)?.row
    const tenant = one(tenants, foundTenant)?.row
    if (!tenant || member?.status !== 'Active') return noSession()
    if (member.sessionVersion !== claims.sessionVersion) return noSession()
    if (one(endedSessions, foundEnd)) return noSession()
    if (tenant.status === 'suspended') return accountSuspended()
    return ok(memberActor(member, claims))
  }
}

/** Whether a store can look up what the claims name; text with NUL, say, is malformed there. */
function namesRows({ tenantId, memberId, tokenId }: SessionClaims): boolean {
  return [tenantId, memberId, tokenId].every(
    (id) => id !== '' && checkLine(id, '', longest.id).length === 0,
  )
}

export function readSession({ ledger }: AccessDeps): AccessUseCases['session'] {
  return async ({ tenantId, memberId, sessionEndsAt }) => {
    const [found] = await ledger.read(tenantId, [get(members, [tenantId, memberId])])
    const member = one(members, found)?.row
    if (!member) return noSession()
    const expiresAt = sessionEndsAt === undefined ? null : isoTime(sessionEndsAt)
    return ok({ member: memberView(member), tenantId, expiresAt })
  }
}

/**
 * Ends the caller's own session, or every session of the member by raising their session version. A host with
 * sessions of its own has no token to end, so that there every logout is everywhere.
 */
export function logout({ ledger }: AccessDeps): AccessUseCases['logout'] {
  return (actor, { everywhere = false } = {}) =>
    ledger.execute(actor.tenantId, async ({ now, read }) => {
      const { tenantId, memberId } = actor
      const tokenId = everywhere ? undefined : actor.sessionId
      const [found, foundEnd] = await read([
        get(members, [tenantId, memberId]),
        ...(tokenId === undefined ? [] : [get(endedSessions, [tenantId, tokenId])]),
      ])
      const was = one(members, found)
      if (!was || one(endedSessions, foundEnd)) return answer(null)
      const ended =
        tokenId === undefined
          ? put(
              members,
              { ...was.row, sessionVersion: was.row.sessionVersion + 1, updatedAt: now },
              was,
            )
          : put(endedSessions, { tenantId, tokenId, memberId, endedAt: now }, null)
      return commit(
        {
          puts: [ended],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'member.logged_out',
              subject: memberId,
              detail: { everywhere: tokenId === undefined },
            }),
          ],
        },
        null,
      )
    })
}

function noSession(): ReturnType<typeof refuse> {
  return refuse('authentication_required', 'expected a valid session token')
}
