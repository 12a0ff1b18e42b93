import type { Put } from '../../base/ports/store.ts'
import type { MemberActor, Permission, Role } from '../../kernel/callers/actor.ts'
import { permissionsOf } from '../../kernel/callers/authorize.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { type Member, members } from '../../organizations/access/records.ts'
import { place } from './world.ts'

function memberRow(memberId: string, role: Role, granted: readonly Permission[]): Member {
  const email = `${memberId}@acme.test`
  return {
    ...{ tenantId: place.tenantId, memberId, name: memberId, email, emailKey: email, role },
    ...{ granted, status: 'Active', passwordHash: null, sessionVersion: 1 },
    ...{ createdAt: 0, updatedAt: 0 },
  }
}

function actorOf({ tenantId, memberId, role, granted }: Member): MemberActor {
  const permissions = permissionsOf(role, granted)
  return { kind: 'member', tenantId, memberId, role, permissions }
}

const rows = {
  admin: memberRow('mem_admin', 'CustomerAdmin', []),
  reviewer: memberRow('mem_reviewer', 'CustomerAuditor', ['Review Cases']),
  auditor: memberRow('mem_auditor', 'CustomerAuditor', []),
}

/** Members of the world's organization. */
export const people = {
  admin: actorOf(rows.admin),
  reviewer: actorOf(rows.reviewer),
  auditor: actorOf(rows.auditor),
}

/** The puts of their rows. */
export function peopleRows(): readonly Put[] {
  return Object.values(rows).map((row) => put(members, row, null))
}
