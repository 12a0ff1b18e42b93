import type { MemberActor } from '../../kernel/callers/actor.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import type { Unit } from '../../kernel/unit.ts'
import { type Member, members } from '../access/records.ts'
import { beforeWeakeningMs } from '../authenticators/before-weakening.ts'
import { authenticators } from '../authenticators/records.ts'
import { ownOf } from '../authenticators/unit.ts'
import { isAdmin } from './roster.ts'
import { tellAdmins, tellWhoLost } from './tell-admins.ts'

/**
 * What a change of who is an admin brings with it, for one who stays what they are nothing. All who were admins before it
 * are mailed, who no longer is by a letter of their own. The authenticators of a new admin let fewer signatures do a day later, as one
 * does that an admin adds by their password: in that day the others can take the rights back.
 */
export async function followAdmins<Code extends RefusalCode>(
  unit: Unit<MemberActor, Code, object>,
  before: Member,
  after: Member,
): Promise<void> {
  if (isAdmin(before) === isAdmin(after)) return
  const { now, by } = unit
  const { tenantId, memberId, email } = after
  const [found] = await unit.read([get(members, [tenantId, by.memberId])])
  const actor = one(members, found)?.row.email ?? by.memberId
  if (!isAdmin(after)) {
    const text = unmade(actor, email)
    await tellAdmins(unit, tenantId, 'admin_unmade', { about: memberId, but: email, text })
    return tellWhoLost(unit, after, ownUnmade(actor))
  }
  await tellAdmins(unit, tenantId, 'admin_made', { about: memberId, text: made(actor, email) })
  const { own } = await unit.ask({ own: ownOf(tenantId, memberId) })
  for (const was of own.rows)
    if (was.row.revokedAt === null)
      unit.put(authenticators, { ...was.row, weakensFrom: now + beforeWeakeningMs }, was)
}

function made(actor: string, email: string): string {
  return `${actor} made ${email} an admin of your organization. In 24 hours an authenticator of theirs can sign for settings that ask for fewer signatures of decisions. If nobody meant this, take their rights and those of ${actor} before, and change your passwords.`
}

function unmade(actor: string, email: string): string {
  return `${email} is no longer an admin of your organization: ${actor} changed their role or suspended them. If nobody meant this, someone may act in the name of ${actor}: have another admin take their rights, or ask whoever runs this service.`
}

function ownUnmade(actor: string): string {
  return `You are no longer an admin of your organization: ${actor} changed your role or suspended you. If nobody meant this, someone may act in the name of ${actor}: ask another admin, or whoever runs this service.`
}
