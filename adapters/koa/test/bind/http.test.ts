import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { Service } from '@countersign/core'
import type { AnyOperation } from '@countersign/core/kernel'
import { ok, type Result, refuse } from '@countersign/core/ledger'
import { approveKeyRequest, listForStaff, updateChannel } from '@countersign/core/operations'
import { silentObserver } from '@countersign/core/ports'
import { createManualClock, seededRandom } from '@countersign/core/testing'
import { serve } from '../../api.ts'
import { http } from '../../bind/http.ts'
import { parseIfMatch } from '../../etag.ts'
import { createApp, type Route } from '../../index.ts'
import { SortedRouter } from '../../sorted-router.ts'

/** As an operation of cases is: of anyone, so that nobody needs a session. */
const { id, version, note, page } = {
  id: updateChannel.takes.channelId,
  version: { ...listForStaff.takes.page, optional: false },
  note: updateChannel.takes.webhookUrl,
  page: listForStaff.takes.page,
}
const things = {
  name: 'things.change',
  doc: 'Change a thing',
  kind: 'command',
  by: 'anyone',
  right: null,
  takes: { id, caseVersion: version, eventSequence: page, note, page },
  gives: { ...approveKeyRequest.gives, json: { input: {}, answer: { type: 'object' } } },
  refuses: ['version_conflict'],
} as unknown as AnyOperation
const seen = {
  inBody: ['caseVersion'],
  inHeader: ['eventSequence'],
  read: parseIfMatch,
} as unknown as NonNullable<NonNullable<Parameters<typeof http<AnyOperation>>[3]>['seen']>

describe('a row of http()', () => {
  /** Sends one request to a row and answers with what came of it, and with what the operation was given. */
  async function sent(t: TestContext, row: Route, request: RequestInit, answer: Result<object>) {
    let given: unknown = null
    const change = async (input: object) => {
      given = input
      return answer
    }
    const clock = createManualClock(0)
    const free = { allowed: true, remaining: 9, resetAt: 0 }
    const window = { hit: () => free, charge: () => {} }
    const service = { things: { change }, access: { knownDevice: async () => null } }
    const options = {
      ...{ service: service as unknown as Service, clock, observer: silentObserver },
      ...{ rateLimit: { window, perMinute: 9 }, sandboxTenantId: null },
      portalRateLimit: { window, perMember: 9, perAddress: 9 },
    }
    const router = new SortedRouter()
    router.post(row.path, serve(row, options))
    const app = createApp(router, { random: seededRandom(1), observer: silentObserver })
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/v1/things/t1?page=3`, {
      method: 'POST',
      ...request,
      headers: { 'content-type': 'application/json', ...request.headers },
    })
    return { response, json: (await response.json()) as Record<string, unknown>, given }
  }
  const row = http(things, 'POST', '/v1/things/:id', {
    ...{ seen, query: ['page'] as never, status: 202, tag: () => '"7.1"' },
  })

  it('takes members from path, query, body and If-Match, and answers with status and tag', async (t) => {
    const body = JSON.stringify({ note: 'n' })
    const headers = { 'if-match': '"4.2"' }
    const { response, given } = await sent(t, row, { body, headers }, ok({}))
    assert.deepEqual(given, { id: 't1', page: 3, note: 'n', caseVersion: 4, eventSequence: 2 })
    assert.deepEqual([response.status, response.headers.get('etag')], [202, '"7.1"'])
  })

  it('takes a version of the body alone as no precondition', async (t) => {
    const conflict = refuse('version_conflict', 'no')
    const body = JSON.stringify({ caseVersion: 4 })
    const plain = await sent(t, row, { body }, conflict)
    assert.deepEqual([plain.response.status, plain.json.code], [409, 'version_conflict'])
    const headers = { 'if-match': '"4.2"' }
    const conditional = await sent(t, row, { body, headers }, conflict)
    assert.deepEqual(
      [conditional.response.status, conditional.json.code],
      [412, 'precondition_failed'],
    )
  })

  it('takes from the header alone what only it has', async (t) => {
    const body = JSON.stringify({ caseVersion: 4, eventSequence: 2 })
    const { response, given } = await sent(t, row, { body }, ok({}))
    assert.deepEqual([response.status, given], [400, null])
  })

  it('belongs to the host of its callers, under a name of its own if it has one', () => {
    const staff = http(listForStaff, 'GET', '/v1/staff/key-requests', { name: 'keyRequests.list' })
    assert.deepEqual([staff.host, staff.auth, staff.name], ['staff', 'staff', 'keyRequests.list'])
    const both = { ...things, by: ['member', 'application'] } as AnyOperation
    const [own, other] = [
      http(both, 'POST', '/v1/things/:id'),
      http(both, 'POST', '/v1/things/:id', { as: 'application' }),
    ]
    assert.deepEqual(
      [own.host, own.auth, other.host, other.auth],
      [...['portal', 'member', 'ingest', 'application']],
    )
  })
})
