import { createHash } from 'node:crypto'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const tenants = '/v1/staff/tenants'
const reason = { reason: 'The conformance suite asks.' }
const entitlements = '/v1/customer/entitlements'

/** The organization of the stranger. */
async function strangersTenant(world: World): Promise<string> {
  return String(granted(await world.stranger.get('/v1/auth/session')).tenantId)
}

export const staffChecks = group('staff', 'interface, Staff host', [
  {
    name: 'credentials',
    promise: 'the staff host is opened by its token alone, which opens no other host',
    needs: ['staff'],
    run: async (world) => {
      const { url, token } = world.target.staff ?? { url: '', token: '' }
      expect(url !== '', 'expected the URL of the staff host')
      const path = '/v1/staff/purge-poison'
      const headers = (value: string) => ({ authorization: `Bearer ${value}` })
      const found = granted(await world.staff.get(path))
      expect(Array.isArray(found.messages), `expected messages, got ${JSON.stringify(found)}`)
      refused(await world.staff.ask({ method: 'GET', path, headers: headers(`${token}x`) }), 401)
      const key = world.target.applicationKey
      refused(await world.staff.ask({ method: 'GET', path, headers: headers(key) }), 401)
      const own = { method: 'GET', path: '/v1/applications', headers: headers(token) } as const
      refused(await world.nobody.portal.ask(own), 401)
      const unknown = `${path}/msg_00000000000000000000000000`
      for (const act of ['requeue', 'resolve'])
        refused(await world.staff.post(`${unknown}/${act}`, { note: 'x' }), 404, 'not_found')
    },
  },
  {
    name: 'suspension',
    promise:
      'a suspended organization is 503 everywhere, and in again unchanged when it is resumed',
    needs: ['staff'],
    run: async (world) => {
      const { reviewCaseId } = await world.open()
      const act = (what: string) => world.staff.post(`${tenants}/${world.tenantId}/${what}`, reason)
      refused(await world.staff.post(`${tenants}/${world.tenantId}/suspend`, {}), 400)
      refused(
        await world.staff.post(`${tenants}/ten_00000000000000000000000000/suspend`, reason),
        404,
      )
      expectEqual(granted(await act('suspend')).status, 'suspended', 'the status')
      try {
        const answers = [
          await world.admin.get('/v1/applications'),
          await world.application.get(`/v1/review-cases/${reviewCaseId}`),
          await world.nobody.portal.post('/v1/auth/login', { ...world.target.reviewer }),
        ]
        for (const answer of answers) {
          refused(answer, 503, 'account_suspended')
          expectEqual(answer.headers['retry-after'], '3600', 'Retry-After')
        }
      } finally {
        expectEqual(granted(await act('resume')).status, 'active', 'the status')
      }
      granted(await world.admin.get('/v1/applications'))
      granted(await world.application.get(`/v1/review-cases/${reviewCaseId}`))
    },
  },
  {
    name: 'plans',
    promise: 'a plan that staff sets decides quota, retention and features at once',
    needs: ['staff', 'stranger'],
    run: async (world) => {
      const path = `${tenants}/${await strangersTenant(world)}/plan`
      const before = granted(await world.stranger.get(entitlements))
      const set = async (body: Body) => {
        const told = granted(await world.staff.put(path, body))
        expectEqual(granted(await world.stranger.get(entitlements)), told, 'the entitlements')
        const { plan, sessionsPerMonth, retentionDays, features } = told
        return [plan, sessionsPerMonth, retentionDays, (features as Body).bulkExport]
      }
      try {
        expectEqual(await set({ plan: 'Builder' }), ['Builder', 500, 7, false], 'Builder')
        expectEqual(await set({ plan: 'Team' }), ['Team', 25_000, 90, true], 'Team')
        const enterprise = { plan: 'Enterprise', retentionDays: 400 }
        expectEqual(await set(enterprise), ['Enterprise', null, 400, true], 'Enterprise')
        refused(await world.staff.put(path, { plan: 'Enterprise', retentionDays: 364 }), 400)
        refused(await world.staff.put(path, { plan: 'Gold' }), 400)
      } finally {
        const { plan, retentionDays } = before
        await set({ plan, ...(plan === 'Enterprise' && { retentionDays }) })
      }
    },
  },
  {
    name: 'deletion',
    promise:
      'the deletion of an organization takes all its applications, and its cancel restores them',
    needs: ['staff', 'stranger'],
    run: async (world) => {
      const made = granted(await world.stranger.post('/v1/applications', { name: 'Conformance' }))
      const { applicationId } = made
      const path = `${tenants}/${await strangersTenant(world)}/deletion`
      const at = new Date(await world.clock.now()).toISOString()
      const { colleague = 'colleague' } = world.target.staff ?? {}
      const body = {
        ticket: 'conformance-1',
        identity: { method: 'video', verifiedBy: colleague, verifiedAt: at },
        authorizationForm: {
          sha256: createHash('sha256').update('a form').digest('hex'),
          signedBy: 'An admin',
          signedAt: at,
        },
      }
      const stateIn = ({ applications }: Body) =>
        (applications as readonly Body[]).find((each) => each.applicationId === applicationId)
          ?.lifecycleState
      refused(await world.staff.post(path, { ...body, identity: undefined }), 400)
      const pending = granted(await world.staff.post(path, body))
      try {
        expectEqual(
          [pending.state, stateIn(pending)],
          ['pending_deletion', 'pending_deletion'],
          'states',
        )
        expectEqual(granted(await world.staff.post(path, body)), pending, 'the same asked again')
        refused(await world.stranger.post('/v1/applications', { name: 'Another' }), 409)
        const alone = `/v1/applications/${String(applicationId)}/purge/cancel`
        refused(await world.stranger.post(alone), 409)
        granted(await world.stranger.get(`/v1/applications/${String(applicationId)}`))
      } finally {
        const restored = granted(await world.staff.ask({ method: 'DELETE', path }))
        expectEqual(stateIn(restored) ?? 'active', 'active', 'the application afterwards')
      }
      refused(await world.staff.ask({ method: 'DELETE', path }), 409, 'not_pending')
      const end = `/v1/applications/${String(applicationId)}/purge`
      granted(await world.stranger.ask({ method: 'DELETE', path: end }))
    },
  },
])
