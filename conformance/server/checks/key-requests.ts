import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { type Body, granted, refused, secretOf, type World } from '../world.ts'

const requests = '/v1/customer-keys/requests'
const staffRequests = '/v1/staff/key-requests'
const usage = '/v1/ingest/usage'
const pathOf = ({ id }: Body) => `${requests}/${String(id)}`

/** A request for a secondary key of an application that has no other. */
async function submitted(world: World): Promise<Body> {
  const { applicationId } = await world.ownApplication()
  const body = { applicationId, reason: 'The suite asks.' }
  return granted(await world.admin.post(`${requests}/issue-secondary-key`, body))
}

const asStaff = (world: World, { id }: Body, act: string) =>
  world.staff.post(`${staffRequests}/${String(id)}/${act}`, {})

const withKey = (world: World, value: unknown) =>
  world.nobody.ingest.ask({
    method: 'GET',
    path: usage,
    headers: { 'x-api-key': secretOf(String(value)) },
  })

export const keyRequestChecks = group('key-requests', 'interface, Key request', [
  {
    name: 'cancelled',
    promise:
      'a request is of a known action, open once, read by all members, and cancelled by an admin',
    run: async (world) => {
      const made = await submitted(world)
      expectEqual(
        [made.action, made.status, made.requestedBy, made.result],
        ['issue-secondary-key', 'submitted', world.adminId, null],
        'action, status, requester and result',
      )
      const { applicationId } = made
      const again = { applicationId, reason: 'Once more.' }
      const path = `${requests}/issue-secondary-key`
      refused(await world.admin.post(path, again), 409, 'request_pending')
      refused(await world.reviewer.post(path, again), 403, 'forbidden')
      refused(await world.admin.post(`${requests}/burn-everything`, again), 404, 'not_found')
      refused(await world.admin.post(path, { applicationId }), 400)
      expectEqual(
        granted(await world.reviewer.get(pathOf(made))),
        made,
        'the request as it is read',
      )
      const [newest] = granted(await world.reviewer.get(requests)).keyRequests as readonly Body[]
      expectEqual(newest, made, 'the newest in the list')
      refused(await world.admin.post(`${pathOf(made)}/reveal`), 409, 'invalid_transition')
      refused(await world.reviewer.post(`${pathOf(made)}/cancel`), 403, 'forbidden')
      const cancelled = granted(await world.admin.post(`${pathOf(made)}/cancel`))
      expectEqual(cancelled.status, 'cancelled', 'the status')
      granted(await world.admin.post(path, again))
    },
  },
  {
    name: 'revealed',
    promise:
      'an executed request is revealed once, by who asked for it, and its key works from then on',
    needs: ['staff'],
    run: async (world) => {
      const made = await submitted(world)
      const [first] = granted(await world.staff.get(`${staffRequests}?status=submitted`))
        .keyRequests as readonly Body[]
      expectEqual([first?.id, first?.tenantId], [made.id, world.tenantId], 'the newest for staff')
      refused(await asStaff(world, made, 'execute'), 409, 'invalid_transition')
      expectEqual(granted(await asStaff(world, made, 'approve')).status, 'approved', 'the status')
      refused(await world.admin.post(`${pathOf(made)}/cancel`), 409, 'invalid_transition')
      const executed = granted(await asStaff(world, made, 'execute'))
      expectEqual(executed.status, 'executed', 'the status')
      const { keyId, revealedAt } = executed.result as Body
      expectEqual(revealedAt, null, 'revealedAt')
      expect(!JSON.stringify(executed).includes('svc_cust_'), 'expected no key in what staff sees')
      const reveal = () => world.admin.post(`${pathOf(made)}/reveal`)
      const shown = granted(await reveal())
      expectEqual([shown.keyId, shown.type], [keyId, 'secondary'], 'id and type of the key')
      granted(await withKey(world, shown.value))
      refused(await reveal(), 410, 'reveal_expired')
      const read = granted(await world.reviewer.get(pathOf(made)))
      expect((read.result as Body).revealedAt !== null, 'expected the time of the reveal')

      const rate = `/v1/staff/customer-keys/${String(keyId)}/rate`
      expectEqual(
        granted(await world.staff.put(rate, { ratePerMinute: 77 })).ratePerMinute,
        77,
        'ratePerMinute',
      )
      const { headers } = await withKey(world, shown.value)
      expectEqual(headers['x-ratelimit-limit'], '77', 'X-RateLimit-Limit')
      refused(await world.staff.put(rate, { ratePerMinute: 0 }), 400)
    },
  },
  {
    name: 'rejected',
    promise: 'staff rejects a request before it is executed, with a reason, and it reveals nothing',
    needs: ['staff'],
    run: async (world) => {
      const made = await submitted(world)
      const path = `${staffRequests}/${String(made.id)}/reject`
      const rejected = granted(await world.staff.post(path, { reason: 'Not now.' }))
      expectEqual([rejected.status, rejected.staffReason], ['rejected', 'Not now.'], 'the end')
      refused(await asStaff(world, made, 'approve'), 409, 'invalid_transition')
      refused(await world.admin.post(`${pathOf(made)}/reveal`), 409, 'invalid_transition')
      expectEqual(granted(await world.reviewer.get(pathOf(made))).status, 'rejected', 'the status')
    },
  },
])
