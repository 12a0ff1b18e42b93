import { randomBytes } from 'node:crypto'
import { expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { granted, refused, type World } from '../world.ts'

const first = 'a password of the suite'
const second = 'another password of the suite'
const reset = '/v1/auth/password/reset'

/** A member of the suite's own, active; null where invitations go out by mail alone. */
export async function ownMember(
  world: World,
  permissions: readonly string[] = [],
  role: 'CustomerAuditor' | 'CustomerAdmin' = 'CustomerAuditor',
) {
  const email = `suite-${randomBytes(6).toString('hex')}@suite.example`
  const invitation = granted(
    await world.admin.post('/v1/customer/invitations', { email, role, permissions }),
  )
  const { acceptUrl, memberId, invitationId } = invitation
  if (typeof acceptUrl !== 'string') {
    const path = `/v1/customer/invitations/${String(invitationId)}`
    granted(await world.admin.ask({ method: 'DELETE', path }))
    return null
  }
  const token = new URL(acceptUrl).hash.slice(1)
  const joining = { token, name: 'Member of the suite', password: first }
  granted(await world.nobody.portal.post('/v1/auth/accept-invitation', joining))
  const login = (password: string) =>
    world.nobody.portal.post('/v1/auth/login', { email, password })
  const session = async () => {
    const { cookieName, token: cookie } = granted(await login(first))
    return { cookie: `${String(cookieName)}=${String(cookie)}` }
  }
  const path = `/v1/customer/members/${String(memberId)}/deactivate`
  const leave = async () => granted(await world.admin.post(path, { confirm: true }))
  const portal = new URL(acceptUrl)
  return { email, login, session, leave, portal, memberId: String(memberId), password: first }
}

export const passwordChecks = group('passwords', 'interface, Passwords', [
  {
    name: 'change',
    promise: 'a change takes the current password and ends every other session of the member',
    run: async (world) => {
      const member = await ownMember(world)
      if (!member) return
      const [own, other] = [await member.session(), await member.session()]
      const path = '/v1/auth/password'
      const change = (current: string, next: string) =>
        world.nobody.portal.ask({ method: 'POST', path, headers: own, body: { current, next } })
      const read = (headers: Readonly<Record<string, string>>) =>
        world.nobody.portal.ask({ method: 'GET', path: '/v1/auth/session', headers })
      refused(await change('not the password', second), 401, 'invalid_credentials')
      refused(await change(first, 'short'), 400, 'invalid_request')
      granted(await read(other))
      const { cookieName, token } = granted(await change(first, second))
      refused(await read(own), 401)
      refused(await read(other), 401)
      granted(await read({ cookie: `${String(cookieName)}=${String(token)}` }))
      refused(await member.login(first), 401, 'invalid_credentials')
      granted(await member.login(second))
      await member.leave()
    },
  },
  {
    name: 'reset',
    promise:
      'a reset is asked for with one answer, whoever has the address, and takes its own token',
    run: async (world) => {
      const { nobody, target } = world
      const unknown = `nobody-${randomBytes(6).toString('hex')}@suite.example`
      for (const email of [target.reviewer.email, unknown, 'no address']) {
        const { status, body } = await nobody.portal.post(reset, { email })
        expectEqual([status, body], [202, { requested: true }], `the answer for ${email}`)
      }
      const guess = { token: '0'.repeat(64), password: second }
      refused(await nobody.portal.post(`${reset}/accept`, guess), 404, 'not_found')
      // Whoever asks changes nothing.
      granted(await nobody.portal.post('/v1/auth/login', { ...target.reviewer }))
    },
  },
])
