import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { granted, openingOf, refused } from '../world.ts'

const unknownCase = '/v1/review-cases/rc_00000000000000000000000000'

export const errorChecks = group('errors', 'interface, Errors', [
  {
    name: 'shape',
    promise: 'one error body, with a pointer to each wrong member, and the id of the request',
    run: async (world) => {
      const answer = await world.application.post('/v1/review-cases', {
        ...openingOf('shape'),
        checkpointId: 7,
        surprise: true,
      })
      refused(answer, 400)
      const { type, title, code, detail, requestId, errors } = answer.body
      for (const text of [type, title, code, detail, requestId])
        expect(typeof text === 'string' && text !== '', `expected texts, got ${answer.text}`)
      const pointers = (errors as { pointer: unknown }[]).map(({ pointer }) => pointer)
      expect(
        pointers.includes('/checkpointId') && pointers.includes('/surprise'),
        `expected pointers to both wrong members, got ${answer.text}`,
      )
      expect(/^application\/json/.test(String(answer.headers['content-type'])), 'expected JSON')
    },
  },
  {
    name: 'order',
    promise: '401 before 403 before 404 before 415 and 413 before 400',
    run: async (world) => {
      const broken = { method: 'POST', path: '/v1/review-cases', body: '{' } as const
      refused(await world.nobody.ingest.ask(broken), 401)
      refused(await world.nobody.portal.ask({ ...broken, path: '/v1/webhooks' }), 401)
      refused(await world.reviewer.ask({ ...broken, path: '/v1/webhooks' }), 403)
      const text = { 'content-type': 'text/plain' }
      refused(await world.application.ask({ ...broken, headers: text }), 415)
      const large = JSON.stringify({ filler: 'x'.repeat(1_100_000) })
      refused(await world.application.ask({ ...broken, body: large }), 413)
      refused(await world.application.ask(broken), 400)
      const malformed = { decision: 'maybe' }
      refused(await world.reviewer.post(`${unknownCase}/decide`, malformed), 404, 'not_found')
      refused(await world.reviewer.post(`${unknownCase}/claim`), 404, 'not_found')
    },
  },
  {
    name: 'bad-keys',
    promise: 'a wrong, shortened or compound key is 401, and tells nothing',
    run: async (world) => {
      const key = world.target.applicationKey
      for (const wrong of [`${key}x`, key.slice(0, -1), 'svc_cust_acme.abc.def', ' ']) {
        const headers = { 'x-api-key': wrong }
        refused(await world.nobody.ingest.ask({ method: 'GET', path: unknownCase, headers }), 401)
      }
      const bearer = { authorization: `Bearer ${key}` }
      const answer = await world.nobody.ingest.ask({
        method: 'GET',
        path: unknownCase,
        headers: bearer,
      })
      refused(answer, 404)
    },
  },
  {
    name: 'rate-headers',
    promise: 'every authenticated answer of the ingest host says where its key stands',
    run: async (world) => {
      const { headers } = await world.application.get(unknownCase)
      const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
      for (const name of names)
        expect(/^\d+$/.test(String(headers[name])), `expected ${name}, got ${headers[name]}`)
    },
  },
  {
    name: 'paging',
    promise: 'pageSize is 20 unless given and 100 at most; 101 is refused, not clamped',
    run: async (world) => {
      expectEqual(granted(await world.reviewer.get('/v1/review-cases')).pageSize, 20, 'pageSize')
      granted(await world.reviewer.get('/v1/review-cases?pageSize=100'))
      for (const query of ['pageSize=101', 'pageSize=0', 'page=0', 'page=1&page=2', 'nonsense=1'])
        refused(await world.reviewer.get(`/v1/review-cases?${query}`), 400)
    },
  },
  {
    name: 'sandbox',
    promise: 'a mutation in sandbox mode is 403 on both hosts',
    run: async (world) => {
      const headers = { 'x-service-sandbox': 'true' }
      refused(await world.admin.post('/v1/webhooks', {}, headers), 403, 'sandbox_read_only')
      const opening = openingOf('sandbox')
      refused(await world.application.post('/v1/review-cases', opening, headers), 403)
    },
  },
  {
    name: 'cross-site',
    promise: 'a foreign page can not act with the cookie of a member',
    run: async (world) => {
      const act = (headers: Record<string, string>) => world.admin.post('/v1/webhooks', {}, headers)
      refused(await act({ 'sec-fetch-site': 'cross-site' }), 403, 'cross_site')
      refused(await act({ origin: 'https://evil.example' }), 403, 'cross_site')
      refused(await act({ 'sec-fetch-site': 'same-origin' }), 400)
    },
  },
  {
    name: 'tenants',
    promise: 'another organization’s id answers exactly as an unknown id does',
    needs: ['stranger'],
    run: async (world) => {
      const { reviewCaseId } = await world.open()
      const of = async (path: string) => {
        const { status, body } = await world.stranger.get(path)
        const { requestId: _, ...rest } = body
        return { status, rest }
      }
      expectEqual(
        await of(`/v1/review-cases/${reviewCaseId}`),
        await of(unknownCase),
        'the answer to a foreign id',
      )
    },
  },
])
