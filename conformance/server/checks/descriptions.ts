import { selectableTypes } from '@countersign/core/events'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { type Body, granted } from '../world.ts'

export const descriptionChecks = group('descriptions', 'interface, Operations', [
  {
    name: 'apis',
    promise: 'each host describes itself as OpenAPI 3.1, to anyone, for an hour',
    run: async (world) => {
      const staff = world.target.staff ? [world.staff] : []
      for (const host of [world.nobody.ingest, world.nobody.portal, ...staff]) {
        const answer = await host.get('/openapi.json')
        const { openapi, paths } = granted(answer)
        expect(/^3\.1\./.test(String(openapi)), `expected OpenAPI 3.1, got ${String(openapi)}`)
        expect(Object.keys(paths as Body).length > 0, 'expected paths')
        const { etag, 'cache-control': cached } = answer.headers
        expect(/max-age=3600/.test(String(cached)), `expected an hour, got ${String(cached)}`)
        const again = await host.ask({
          method: 'GET',
          path: '/openapi.json',
          headers: { 'if-none-match': String(etag) },
        })
        expectEqual(again.status, 304, 'the status where nothing changed')
      }
    },
  },
  {
    name: 'events',
    promise:
      'the catalogue of events is AsyncAPI 3.0.0, in its version 1.0.0, and names every type',
    run: async (world) => {
      const answer = await world.nobody.portal.get('/v1/event-catalog')
      const { asyncapi, info } = granted(answer)
      expectEqual([asyncapi, (info as Body).version], ['3.0.0', '1.0.0'], 'versions')
      for (const type of selectableTypes)
        expect(answer.text.includes(`"${type}"`), `expected ${type} in the catalogue`)
    },
  },
])
