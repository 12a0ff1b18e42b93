import { bytesToHex } from '@noble/hashes/utils.js'
import type { ChangeSet, Versioned } from '../../base/ports/store.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one, put, unchanged } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { AccessDeps } from '../access/deps.ts'
import { type Member, members, type Tenant, tenants } from '../access/records.ts'
import { hashKeyText } from '../api-keys/key-text.ts'
import { accountSuspended } from '../logins/sessions.ts'
import { opens } from '../logins/sign-in-rule.ts'
import { memberByEmail } from '../members/new-member.ts'
import { mustUseProvider, providerIdentities, signInProviders } from '../providers/records.ts'
import { type PasswordReset, passwordResets, resetMs } from './records.ts'

/** A member who may have another password by a reset. */
export interface Resettable {
  readonly member: Versioned<Member>
  readonly tenant: Versioned<Tenant>
  readonly earlier: Versioned<PasswordReset> | null
  /** When mails were sent within the last hour, ms. */
  readonly sent: readonly number[]
  /** Who asked for it. */
  readonly by: 'member' | 'staff'
}

/**
 * Finds who may have a reset; by staff also who has a passkey that closed their password. Refuses with `not_found`, `account_suspended`.
 */
export async function resettable(
  unit: UnitOfWork,
  email: string,
  by: 'member' | 'staff',
): Promise<Result<Resettable, 'not_found' | 'account_suspended'>> {
  const [found] = await unit.read([memberByEmail(email)])
  const member = one(members, found)
  if (member?.row.status !== 'Active') return noneResettable()
  const { tenantId, memberId } = member.row
  const [foundTenant, foundReset, foundProvider, foundIdentity] = await unit.read([
    get(tenants, [tenantId]),
    get(passwordResets, [tenantId, memberId]),
    get(signInProviders, [tenantId]),
    get(providerIdentities, [tenantId, memberId]),
  ])
  const provider = one(signInProviders, foundProvider)
  // Whom a provider made a member has no other way in once it is gone, and none beside it before.
  const isLeft = provider === null && one(providerIdentities, foundIdentity) !== null
  if (member.row.passwordHash === null && !isLeft) return noneResettable()
  if (mustUseProvider(provider?.row ?? null, memberId)) return noneResettable()
  const tenant = one(tenants, foundTenant)
  if (tenant?.row.status !== 'active') return accountSuspended()
  if (by === 'member' && !opens('password', tenant.row, member.row)) return noneResettable()
  const earlier = one(passwordResets, foundReset)
  const sent = (earlier?.row.sentAt ?? []).filter((at) => unit.now - at < resetMs)
  return ok({ member, tenant, earlier, sent, by })
}

export function noneResettable(): ReturnType<typeof refuse<'not_found'>> {
  return refuse('not_found', 'no active member who logs in by password has this e-mail address')
}

/** A reset that replaces the member's earlier one. */
export interface NewReset {
  readonly resetUrl: string
  /** Ms. */
  readonly expiresAt: number
  /** What records it; `by` is the name in the audit log. */
  set(made: {
    readonly by: string
    readonly sentAt: readonly number[]
  }): Required<Pick<ChangeSet, 'puts' | 'checks' | 'appends'>>
}

/** Makes a token: 32 random bytes in hex, stored as their hash alone. */
export function newReset(
  { portalUrl }: Pick<AccessDeps, 'portalUrl'>,
  { now, random }: Pick<UnitOfWork, 'now' | 'random'>,
  { member, tenant, earlier, by: asking }: Resettable,
): NewReset {
  const token = bytesToHex(random.bytes(32))
  const { tenantId, memberId, sessionVersion } = member.row
  const expiresAt = now + resetMs
  return {
    resetUrl: `${portalUrl}/reset#${token}`,
    expiresAt,
    set({ by, sentAt }) {
      const tokenHash = hashKeyText(token)
      const reset = { tenantId, memberId, tokenHash, open: 1 as const, sessionVersion, expiresAt }
      const staff = asking === 'staff' && { byStaff: true as const }
      return {
        puts: [put(passwordResets, { ...reset, ...staff, sentAt }, earlier)],
        checks: [unchanged(members, member), unchanged(tenants, tenant)],
        appends: [
          audit(tenantId, {
            at: isoTime(now),
            actor: by,
            action: 'member.password_reset_requested',
            subject: memberId,
            detail: { expiresAt: isoTime(expiresAt) },
          }),
        ],
      }
    },
  }
}
