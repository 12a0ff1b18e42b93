import { randomBytes } from 'node:crypto'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import type { HttpAnswer } from '../http.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const members = '/v1/customer/members'
const invitations = '/v1/customer/invitations'
const accepting = '/v1/auth/accept-invitation'
const reading = '/v1/auth/invitation'
const password = 'a password of the suite'

const freshEmail = () => `suite-${randomBytes(6).toString('hex')}@suite.example`
const withdraw = (world: World, { invitationId }: Body) =>
  world.admin.ask({ method: 'DELETE', path: `${invitations}/${String(invitationId)}` })

/** The token of an invitation; null where the server sends it by mail alone. */
function tokenOf({ acceptUrl }: Body): string | null {
  return typeof acceptUrl === 'string' ? new URL(acceptUrl).hash.slice(1) : null
}

const accept = (world: World, token: string): Promise<HttpAnswer> =>
  world.nobody.portal.post(accepting, { token, name: 'Member of the suite', password })

async function memberOf(world: World, memberId: unknown): Promise<Body | undefined> {
  for (let page = 1; ; page++) {
    const found = granted(await world.reviewer.get(`${members}?page=${page}&pageSize=100`))
    const member = (found.members as readonly Body[]).find((each) => each.memberId === memberId)
    if (member || found.hasMore !== true) return member
  }
}

export const memberChecks = group('members', 'interface, Member; Invitation', [
  {
    name: 'invitation',
    promise: 'an invitation makes one member once, who is shut out at once when deactivated',
    run: async (world) => {
      const email = freshEmail()
      const first = granted(await world.admin.post(invitations, { email }))
      expectEqual([first.status, first.role], ['pending', 'CustomerAuditor'], 'the invitation')
      const pending = await memberOf(world, first.memberId)
      expectEqual([pending?.status, pending?.name], ['Pending invitation', null], 'its member')
      refused(await world.admin.post(invitations, { email }), 409, 'already_invited')
      const path = `${invitations}/${String(first.invitationId)}/resend`
      const [before, token] = [tokenOf(first), tokenOf(granted(await world.admin.post(path)))]
      if (before === null || token === null) {
        granted(await withdraw(world, first))
        return
      }
      refused(await accept(world, before), 404)
      const offer = granted(await world.nobody.portal.post(reading, { token }))
      expectEqual([offer.email, offer.role], [email, 'CustomerAuditor'], 'what it offers')
      refused(await world.nobody.portal.post(reading, { token: before }), 404)
      const joined = granted(await accept(world, token))
      expectEqual((joined.member as Body).memberId, first.memberId, 'the id of the member')
      refused(await accept(world, token), 410, 'invitation_expired')
      refused(await world.nobody.portal.post(reading, { token }), 410, 'invitation_expired')
      refused(await world.admin.post(invitations, { email }), 409, 'already_member')

      const login = () => world.nobody.portal.post('/v1/auth/login', { email, password })
      const { cookieName, token: session } = granted(await login())
      const headers = { cookie: `${String(cookieName)}=${String(session)}` }
      const own = () =>
        world.nobody.portal.ask({ method: 'GET', path: '/v1/auth/session', headers })
      granted(await own())
      const member = `${members}/${String(first.memberId)}`
      refused(await world.admin.post(`${member}/deactivate`, { confirm: false }), 400)
      granted(await world.admin.post(`${member}/deactivate`, { confirm: true }))
      refused(await own(), 401)
      refused(await login(), 401)
      granted(await world.admin.post(`${member}/reactivate`))
      refused(await own(), 401)
      granted(await login())
      granted(await world.admin.post(`${member}/deactivate`, { confirm: true }))
    },
  },
  {
    name: 'withdrawal',
    promise: 'a withdrawn invitation is listed as such, lets nobody in, and takes its member away',
    run: async (world) => {
      const made = granted(await world.admin.post(invitations, { email: freshEmail() }))
      expectEqual(granted(await withdraw(world, made)).status, 'withdrawn', 'the status')
      const token = tokenOf(made)
      if (token !== null) refused(await accept(world, token), 410, 'invitation_expired')
      expectEqual(await memberOf(world, made.memberId), undefined, 'its member')
      const path = `${invitations}/${String(made.invitationId)}/resend`
      refused(await world.admin.post(path), 409, 'invalid_transition')
      const [newest] = granted(await world.reviewer.get(invitations)).invitations as Body[]
      expectEqual(
        [newest?.status, newest?.acceptUrl],
        ['withdrawn', null],
        'the newest in the list',
      )
    },
  },
  {
    name: 'rights',
    promise: 'roles are set by admins alone, and the last admin stays',
    run: async (world) => {
      const role = `${members}/${world.adminId}/role`
      const down = { role: 'CustomerAuditor', permissions: [] }
      refused(await world.reviewer.put(role, down), 403, 'forbidden')
      refused(await world.reviewer.post(invitations, { email: freshEmail() }), 403, 'forbidden')
      const invited = granted(await world.admin.post(invitations, { email: freshEmail() }))
      const path = `${members}/${String(invited.memberId)}`
      const up = { role: 'CustomerAdmin', permissions: [] }
      expectEqual(granted(await world.admin.put(`${path}/role`, up)).role, up.role, 'the role')
      refused(
        await world.admin.post(`${path}/deactivate`, { confirm: true }),
        409,
        'invalid_transition',
      )
      const active = granted(await world.admin.get(`${members}?status=Active&pageSize=100`))
      const admins = (active.members as readonly Body[]).filter((each) => each.role === up.role)
      if (admins.length === 1 && active.hasMore !== true) {
        refused(await world.admin.put(role, down), 409, 'last_admin')
        const off = `${members}/${world.adminId}/deactivate`
        refused(await world.admin.post(off, { confirm: true }), 409, 'last_admin')
      }
      granted(await withdraw(world, invited))
    },
  },
])

const profilePath = '/v1/customer/profile'
const auditPath = '/v1/customer/audit-log'

interface Entry extends Body {
  readonly position: number
}

async function entriesOf(world: World, query: string): Promise<Body & { entries: Entry[] }> {
  return granted(await world.reviewer.get(`${auditPath}?${query}`)) as Body & { entries: Entry[] }
}

export const organizationChecks = group('organization', 'interface, Profile', [
  {
    name: 'profile',
    promise: 'the profile is replaced whole by admins, with countries and time zones that exist',
    run: async (world) => {
      const { updatedAt: _, ...before } = granted(await world.reviewer.get(profilePath))
      const profile = { ...before, country: 'AT', timezone: 'Europe/Vienna' }
      refused(await world.reviewer.put(profilePath, profile), 403, 'forbidden')
      for (const wrong of [{ country: 'ZZ' }, { timezone: 'Mars/Olympus' }, { contactEmail: 'x' }])
        refused(await world.admin.put(profilePath, { ...profile, ...wrong }), 400)
      const { updatedAt, ...saved } = granted(await world.admin.put(profilePath, profile))
      expectEqual(saved, profile, 'the profile')
      expectEqual(
        granted(await world.reviewer.get(profilePath)),
        { ...profile, updatedAt },
        'the profile as it is read',
      )
      const { organizationName, contactEmail } = before
      const less = granted(await world.admin.put(profilePath, { organizationName, contactEmail }))
      expectEqual([less.country, less.timezone], [null, null], 'members that were left out')
      granted(await world.admin.put(profilePath, before))
    },
  },
  {
    name: 'entitlements',
    promise: 'the entitlements name the plan, its quota and features, which gate what they name',
    run: async (world) => {
      const told = granted(await world.reviewer.get('/v1/customer/entitlements'))
      const { plan, features, sessionsUsed, retentionDays, notes } = told
      expect(
        ['Builder', 'Team', 'Enterprise'].includes(String(plan)),
        `expected a plan, got ${String(plan)}`,
      )
      expect(Number.isInteger(sessionsUsed), `expected sessionsUsed, got ${String(sessionsUsed)}`)
      expect(
        Number(retentionDays) >= 184 || (notes as readonly unknown[]).length > 0,
        'expected a note on a retention below six months',
      )
      const { bulkExport } = features as Body
      // A body that no plan takes: the plan is asked for first.
      const asked = await world.admin.post('/v1/applications/evidence/bulk-export', { odd: 1 })
      if (bulkExport === true) refused(asked, 400)
      else refused(asked, 403, 'plan_required')
    },
  },
  {
    name: 'audit',
    promise: 'the audit log has each privileged change, in a chain, by pages, filters and cursor',
    run: async (world) => {
      const made = granted(await world.admin.post(invitations, { email: freshEmail() }))
      granted(await withdraw(world, made))
      const subject = String(made.invitationId)
      const newest = (await entriesOf(world, 'pageSize=20')).entries
      // Others may act meanwhile, the service itself among them.
      const at = newest.findIndex((entry) => entry.subject === subject)
      const [last, before] = newest.slice(at)
      expectEqual(
        [last?.action, last?.subject, last?.actor],
        ['invitation.withdrawn', subject, `member:${world.adminId}`],
        'the newest entry of the invitation',
      )
      expectEqual(last?.previousHash, before?.hash, 'previousHash of the newest entry')
      expectEqual((last?.position ?? 0) - (before?.position ?? 0), 1, 'the gap between positions')
      const query = `subject=${subject}&before=${String(last?.position)}`
      const { entries } = await entriesOf(world, query)
      expectEqual(
        entries.map(({ action }) => action),
        ['invitation.created'],
        'entries of the invitation before the last one',
      )
      const part = granted(await world.reviewer.get(`${auditPath}?limit=1`))
      const next = granted(
        await world.reviewer.get(`${auditPath}?limit=1&after=${String(part.next)}`),
      )
      const [row] = next.rows as readonly Entry[]
      expectEqual(row?.position, before?.position, 'the entry behind the cursor')
    },
  },
])
