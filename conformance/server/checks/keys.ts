import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { until } from '../wait.ts'
import { type Body, granted, refused, secretOf, type World } from '../world.ts'

const keys = '/v1/customer-keys'
const usage = '/v1/ingest/usage'
/** Most keys of an application that are active. */
const mostActive = 10

async function keyIn(
  world: World,
  path: string,
  members: string,
  keyId: unknown,
): Promise<Body | undefined> {
  const all = granted(await world.admin.get(path))[members] as readonly Body[]
  return all.find((key) => key.keyId === keyId)
}

const withKey = (
  world: World,
  key: string,
  path: string,
  more: Readonly<Record<string, string>> = {},
) => world.nobody.ingest.ask({ method: 'GET', path, headers: { 'x-api-key': key, ...more } })

export const keyChecks = group('keys', 'interface, Customer key', [
  {
    name: 'application-keys',
    promise:
      'an application key is shown once, opens the cases of its application, and is revoked for good',
    run: async (world) => {
      const { reviewCaseId } = await world.open()
      const path = `/v1/applications/${world.target.applicationId}/application-keys`
      refused(await world.reviewer.post(path, { label: 'x' }), 403, 'forbidden')
      const { value, ...made } = granted(await world.admin.post(path, { label: 'Conformance' }))
      expect(/^svc_app_[0-9A-Za-z]{46}$/.test(String(value)), `expected svc_app_…, got ${value}`)
      expectEqual([made.label, made.status], ['Conformance', 'Active'], 'label and status')
      expectEqual(
        await keyIn(world, path, 'applicationKeys', made.keyId),
        made,
        'the key as listed',
      )
      const read = () => withKey(world, String(value), `/v1/review-cases/${reviewCaseId}`)
      granted(await read())
      const one = { method: 'DELETE', path: `${path}/${String(made.keyId)}` } as const
      refused(await world.reviewer.ask(one), 403, 'forbidden')
      const revoked = granted(await world.admin.ask(one))
      expectEqual(revoked.status, 'Revoked', 'the status')
      refused(await read(), 401)
      expectEqual(granted(await world.admin.ask(one)), revoked, 'a second revocation')
    },
  },
  {
    name: 'issue',
    promise: 'a secondary key works at once by its last segment alone, and not once it is revoked',
    run: async (world) => {
      const { applicationId } = world.target
      refused(await world.reviewer.post(`${keys}/issue`, { applicationId }), 403, 'forbidden')
      const unknown = { applicationId: 'app_00000000000000000000000000' }
      refused(await world.admin.post(`${keys}/issue`, unknown), 404, 'not_found')
      const { value, ...made } = granted(await world.admin.post(`${keys}/issue`, { applicationId }))
      const compound = String(value)
      expect(
        /^svc_cust_[a-z0-9-]{3,40}\.[0-9A-Za-z]{12}\.[0-9A-Za-z]{46}$/.test(compound),
        `expected svc_cust_<slug>.<component>.<secret>, got ${compound}`,
      )
      expectEqual(
        [made.type, made.status, made.applicationId, made.lastUsedAt],
        ['secondary', 'Active', applicationId, null],
        'type, status, application and last use',
      )
      expect(compound.startsWith(`${String(made.prefix)}.`), `expected ${made.prefix} before it`)
      expectEqual(await keyIn(world, keys, 'customerKeys', made.keyId), made, 'the key as listed')

      const secret = secretOf(compound)
      const component = compound.split('.').at(-2) ?? ''
      expectEqual(
        granted(await withKey(world, secret, usage)).keyId,
        made.keyId,
        'the key that asks',
      )
      granted(await withKey(world, secret, usage, { 'x-key-component': component }))
      refused(await withKey(world, secret, usage, { 'x-key-component': `${component}x` }), 401)
      refused(await withKey(world, compound, usage), 401)
      refused(
        await world.nobody.portal.ask({
          method: 'GET',
          path: keys,
          headers: { 'x-api-key': secret },
        }),
        401,
      )
      // Noted after the answer, which does not wait for it.
      await until('the hour of its last use', async () => {
        const used = await keyIn(world, keys, 'customerKeys', made.keyId)
        return used?.lastUsedAt ?? undefined
      })

      const one = { method: 'DELETE', path: `${keys}/${String(made.keyId)}` } as const
      refused(await world.reviewer.ask(one), 403, 'forbidden')
      const revoked = granted(await world.admin.ask(one))
      expectEqual(revoked.status, 'Revoked', 'the status')
      refused(await withKey(world, secret, usage), 401)
      expectEqual(granted(await world.admin.ask(one)), revoked, 'a second revocation')
    },
  },
  {
    name: 'most',
    promise:
      'an application has ten active customer keys at most, and room again after a revocation',
    run: async (world) => {
      const { applicationId } = await world.ownApplication()
      const issue = () => world.admin.post(`${keys}/issue`, { applicationId })
      let last: Body = {}
      // The application came with one.
      for (let count = 1; count < mostActive; count++) last = granted(await issue())
      refused(await issue(), 409, 'too_many_keys')
      granted(await world.admin.ask({ method: 'DELETE', path: `${keys}/${String(last.keyId)}` }))
      granted(await issue())
    },
  },
])
