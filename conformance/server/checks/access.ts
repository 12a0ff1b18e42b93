import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const login = '/v1/auth/login'
const day = 24 * 3_600_000

/** A session beside the one that the suite holds. */
async function loggedIn(world: World) {
  const answer = await world.nobody.portal.post(login, { ...world.target.reviewer })
  const session = granted(answer)
  const headers = { cookie: `${String(session.cookieName)}=${String(session.token)}` }
  const ask = (method: 'GET' | 'POST', path: string) =>
    world.nobody.portal.ask({ method, path, headers, ...(method === 'POST' && { body: {} }) })
  return { answer, session, ask }
}

export const accessChecks = group('access', 'interface, Authentication', [
  {
    name: 'login',
    promise: 'a login answers a session of a day, in a cookie that no script reads',
    run: async (world) => {
      const before = await world.clock.now()
      const { answer, session, ask } = await loggedIn(world)
      const { cookieName, token, expiresAt, tenantId } = session
      expectEqual(cookieName, 'service_customer_token', 'cookieName')
      expectEqual(tenantId, world.tenantId, 'tenantId')
      const lasts = Date.parse(String(expiresAt)) - before
      expect(Math.abs(lasts - day) < 60_000, `expected a session of 24 h, got ${lasts} ms`)
      const all = [answer.headers['set-cookie'] ?? []].flat()
      const cookie = all.find((each) => each.startsWith(`${String(cookieName)}=`)) ?? ''
      expect(cookie.includes(String(token)), `expected the token in the cookie, got ${cookie}`)
      for (const flag of ['httponly', 'samesite=lax', 'path=/'])
        expect(cookie.toLowerCase().includes(flag), `expected ${flag} in ${cookie}`)
      const own = granted(await ask('GET', '/v1/auth/session'))
      expectEqual((own.member as Body).memberId, world.reviewerId, 'the member of the session')
      const wrong = { ...world.target.reviewer, password: 'not the password of the reviewer' }
      refused(await world.nobody.portal.post(login, wrong), 401, 'invalid_credentials')
    },
  },
  {
    name: 'logout',
    promise: 'a logout ends its own session, and no other of the member',
    run: async (world) => {
      const [one, other] = [await loggedIn(world), await loggedIn(world)]
      granted(await one.ask('POST', '/v1/auth/logout'))
      refused(await one.ask('GET', '/v1/auth/session'), 401)
      granted(await other.ask('GET', '/v1/auth/session'))
      granted(await other.ask('POST', '/v1/auth/logout'))
      granted(await world.reviewer.get('/v1/auth/session'))
    },
  },
])
