import { actorName } from '../../kernel/callers/actor.ts'
import { authorize } from '../../kernel/callers/authorize.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { checkName } from '../../kernel/ledger/check-text.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { commit, refusal } from '../../kernel/ledger/ledger.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { refuse } from '../../kernel/ledger/refusal.ts'
import {
  checkNewMember,
  emailTaken,
  hashed,
  memberByEmail,
  newMember,
} from '../members/new-member.ts'
import type { AccessDeps } from './deps.ts'
import { memberView, tenantView } from './present.ts'
import { members, rosters, type Tenant, tenants } from './records.ts'
import { changeableTenant } from './standing.ts'
import type { AccessUseCases } from './use-cases.ts'

/** Tenant and first admin are created in one commit, so a tenant always has an admin. */
export function createTenant({ ledger, passwords }: AccessDeps): AccessUseCases['createTenant'] {
  return async (actor, input) => {
    const authorized = authorize(actor, 'createTenants')
    if (!authorized.ok) return authorized
    const malformed = refuseErrors([
      ...checkName(input.name, '/name', longest.name),
      ...checkNewMember(input.admin, '/admin'),
    ])
    if (malformed) return malformed
    const hash = await hashed(passwords, input.admin.password)
    if (!hash.ok) return hash

    return await ledger.execute(null, async ({ now, id, read }) => {
      const [found] = await read([memberByEmail(input.admin.email)])
      if (one(members, found)) return refusal(emailTaken('/admin'))
      const tenantId = id('ten')
      const name = input.name.trim()
      const tenant: Tenant = {
        tenantId,
        name,
        status: 'active',
        ...(input.plan && { plan: input.plan }),
        contactEmail: input.admin.email.trim(),
        createdAt: now,
        updatedAt: now,
      }
      const admin = newMember(
        { ...input.admin, role: 'CustomerAdmin', permissions: [] },
        { tenantId, memberId: id('mem'), passwordHash: hash.value, now },
      )
      return commit(
        {
          puts: [
            put(tenants, tenant, null),
            put(members, admin, null),
            put(rosters, { tenantId, admins: [admin.memberId] }, null),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'tenant.created',
              subject: tenantId,
              detail: { adminId: admin.memberId },
            }),
          ],
        },
        { tenant: tenantView(tenant), admin: memberView(admin) },
      )
    })
  }
}

export function createMember({ ledger, passwords }: AccessDeps): AccessUseCases['createMember'] {
  return async (actor, tenantId, input) => {
    const authorized = authorize(actor, 'createMembers')
    if (!authorized.ok) return authorized
    const malformed = refuseErrors(checkNewMember(input, ''))
    if (malformed) return malformed
    const hash = await hashed(passwords, input.password)
    if (!hash.ok) return hash

    return await ledger.execute(null, async ({ now, id, read }) => {
      const [foundTenant, foundRoster, foundMember] = await read([
        get(tenants, [tenantId]),
        get(rosters, [tenantId]),
        memberByEmail(input.email),
      ])
      const tenant = changeableTenant(foundTenant)
      const roster = one(rosters, foundRoster)
      if (!tenant || !roster) return refusal(refuse('not_found', 'no such organization'))
      if (one(members, foundMember)) return refusal(emailTaken(''))
      const memberId = id('mem')
      const member = newMember(input, { tenantId, memberId, passwordHash: hash.value, now })
      const joins = { tenantId, admins: [...roster.row.admins, memberId] }
      return commit(
        {
          checks: [{ in: tenants.name, key: [tenantId], version: tenant.version }],
          puts: [
            put(members, member, null),
            ...(member.role === 'CustomerAdmin' ? [put(rosters, joins, roster)] : []),
          ],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'member.created',
              subject: memberId,
              detail: { role: member.role, permissions: member.granted.join(', ') },
            }),
          ],
        },
        memberView(member),
      )
    })
  }
}
