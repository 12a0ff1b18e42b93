import { longest } from '../../kernel/ledger/limits.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { pageIfAny } from '../../kernel/page.ts'
import { line } from '../../kernel/shape.ts'
import { members, rosters } from '../access/records.ts'
import type { AccessTools } from '../access/tools.ts'
import { mayActForOthers } from './new-admin.ts'
import { needsAssertion } from './own-revocation.ts'
import {
  authenticatorShape,
  authenticatorsShape,
  authenticatorView,
  partOfOwn,
  shownAuthenticator,
} from './records.ts'
import { allowAnother, ownOf, revoke, tellOfRevocation } from './unit.ts'

const { command, reading } = operationsWith<AccessTools>()
const id = { authenticatorId: shownAuthenticator.authenticatorId }
const ofMember = { memberId: line(longest.id) }

/** The authenticators of a member, for admins. */
export const listMemberAuthenticators = reading({
  name: 'members.authenticators',
  doc: "List a member's authenticators, revoked ones too",
  right: 'readAuthenticators',
  takes: { ...ofMember, ...pageIfAny },
  gives: authenticatorsShape,
  refuses: ['not_found'],
  async run({ ask, refuse, by: { tenantId } }, { memberId, ...asked }) {
    const { member, own } = await ask({
      member: members.get(tenantId, memberId),
      own: ownOf(tenantId, memberId),
    })
    if (!member) return refuse('not_found', 'no such member')
    return partOfOwn(own.rows, asked)
  },
})

/**
 * Revokes another member's authenticator, by an admin: it was lost, say. Mailed to the member, of an admin to the other
 * admins too. Who became an admin less than 24 hours ago revokes and allows nothing yet. An own one takes an assertion or,
 * of the only admin, a password (`authenticators.revoke`). Where none is left, and also revoked again, the admin allows
 * another one: the link that enrols it is mailed, to who signs decisions when two do.
 */
export const revokeMemberAuthenticator = command({
  name: 'members.revokeAuthenticator',
  doc: "Revoke a member's authenticator; they are told by mail",
  right: 'manageMembers',
  takes: { ...ofMember, ...id },
  gives: authenticatorShape,
  refuses: ['not_found', 'signature_required', 'forbidden'],
  async run(unit, { memberId, authenticatorId }) {
    const { tenantId, memberId: admin } = unit.by
    const { member, own, roster } = await unit.ask({
      roster: rosters.get(tenantId),
      member: members.get(tenantId, memberId),
      own: ownOf(tenantId, memberId),
    })
    const was = own.rows.find(({ row }) => row.authenticatorId === authenticatorId)
    if (!member || !was) return unit.refuse('not_found', 'no such authenticator')
    if (memberId !== admin) unit.orRefuse(mayActForOthers(roster?.row ?? {}, admin, unit.now))
    if (was.row.revokedAt === null) {
      if (memberId === admin) return unit.orRefuse(needsAssertion())
      await tellOfRevocation(unit, member.row)
      return revoke(unit, member, was, own.rows)
    }
    if (own.rows.every(({ row }) => row.revokedAt !== null))
      await allowAnother(unit, member, own.rows)
    return authenticatorView(was.row)
  },
})
