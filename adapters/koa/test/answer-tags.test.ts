import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { most } from '@countersign/core/ledger'
import { routes } from '../index.ts'
import { gatheredBytes } from '../list-stream.ts'
import { ask, type Cast, openCast } from './cast.ts'
import { codeOf } from './client.ts'
import { outsiders } from './outsiders.ts'
import { entitled, keyOf, pathOf, sampleOf } from './requests.ts'
import { newCase, openWorld } from './world.ts'

const reads = routes.filter(({ host, method }) => host === 'portal' && method === 'GET')

const weak = ['portal.readSummary', 'portal.readStatistics']

/** Files, and what is streamed as one. */
const isFile = ({ answer: { headers = [] } }: (typeof reads)[number]) =>
  headers.includes('Content-Disposition')

describe('a read of the portal', () => {
  let world: Cast
  before(async () => {
    world = await openCast()
  })
  after(() => world.close())

  for (const row of reads)
    test(`${keyOf(row)} ${isFile(row) ? 'is a file without a tag' : 'costs no body while it is unchanged'}`, async () => {
      const sample = await sampleOf(row, world)
      const asked = {
        ...{ host: row.host, method: 'GET', path: pathOf(row, sample) },
        as: entitled(sample, world),
      } as const
      const first = await world.call(asked)
      assert.equal(first.status, 200, first.text)
      const tag = first.headers.etag ?? ''
      if (isFile(row)) return assert.equal(tag, '')
      // Each answer has another time.
      const form = weak.includes(row.name) ? /^W\/"[^"]+"$/ : /^"[^"]+"$/
      assert.match(tag, form)
      const known = { 'if-none-match': `"other", ${tag}` }
      for (const method of ['GET', 'HEAD']) {
        const again = await world.call({ ...asked, method, headers: known })
        assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', tag])
        assert.equal(again.headers['content-length'], undefined)
      }
      const other = await world.call({ ...asked, headers: { 'if-none-match': '"0"' } })
      assert.deepEqual([other.status, other.text], [200, first.text])
      // Whoever may not read it does not learn that it is unchanged.
      for (const { name, as, headers = {}, answers } of outsiders) {
        const caller = as(world, row)
        const expected = answers(sample.audience, row)
        if (caller === undefined || expected === null) continue
        const refused = await ask(world, row, sample, {
          as: caller,
          headers: { ...headers, ...known },
        })
        assert.deepEqual([refused.status, codeOf(refused)], [expected.status, expected.code], name)
        assert.equal(refused.headers.etag, undefined, name)
      }
      assert.deepEqual(world.incidents, [])
    })
})

test('a list has another tag once anything of it changed, and none where it is too long to be gathered', async () => {
  const world = await openWorld()
  try {
    const { home, opened, service } = world
    const read = (query: string, tag?: string) =>
      world.call({
        ...{ host: 'portal', method: 'GET', path: `/v1/review-cases?${query}`, as: home.admin },
        headers: tag === undefined ? {} : { 'if-none-match': tag },
      })
    const { reviewCaseId } = await opened(home.app)
    const { etag = '' } = (await read('limit=20')).headers
    assert.equal((await read('limit=20', etag)).status, 304)
    await service.reviewCases.claim(home.admin.actor, { reviewCaseId })
    const moved = await read('limit=20', etag)
    assert.equal(moved.status, 200)
    assert.notEqual(moved.headers.etag, etag)

    const presentation = { action: 'x'.repeat(gatheredBytes / 4) }
    for (let n = 0; n < 8; n++) await opened(home.app, { ...newCase(), presentation })
    const long = await read(`include=presentation&limit=${most.pageSize}`)
    assert.equal(long.headers.etag, undefined)
    assert.equal(JSON.parse(long.text).rows.length, 9)
    assert.equal((await read('include=presentation&limit=2')).headers.etag?.length, 34)
    assert.deepEqual(world.incidents, [])
  } finally {
    await world.close()
  }
})
