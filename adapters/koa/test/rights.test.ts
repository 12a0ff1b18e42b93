import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes } from '../index.ts'
import { ask, type Cast, openCast, unknownIds } from './cast.ts'
import { codeOf } from './client.ts'
import { outsiders } from './outsiders.ts'
import { keyOf, pathOf, sampleOf } from './requests.ts'

describe('who is refused gets exactly this, and nothing is written', () => {
  let world: Cast
  before(async () => {
    world = await openCast()
  })
  after(() => world.close())

  for (const row of routes)
    test(keyOf(row), async () => {
      const sample = await sampleOf(row, world)
      const untouched = world.contents()
      for (const { name, as, headers = {}, answers } of outsiders) {
        const caller = as(world, row)
        const expected = answers(sample.audience, row)
        if (caller === undefined || expected === null) continue
        const answer = await ask(world, row, sample, { as: caller, headers })
        assert.deepEqual(
          { status: answer.status, code: codeOf(answer) },
          expected,
          `${name}: ${answer.text}`,
        )
        assert.equal(answer.json.status, answer.status)
        assert.equal(answer.json.requestId, answer.headers['x-request-id'])
        assert.equal(answer.headers['cache-control'], 'no-store')
        // Whoever may not is not told what is wrong with the request besides.
        const path = `${pathOf(row, { ids: unknownIds(sample) })}?surprise=1`
        const accept = { accept: 'text/html', 'content-type': 'text/plain' }
        const broken = await ask(world, row, sample, {
          as: caller,
          path,
          headers: { ...accept, ...headers },
          ...(row.body.input && { body: '{' }),
        })
        assert.equal(codeOf(broken), expected.code, `${name}: ${broken.text}`)
        assert.equal(world.contents(), untouched, `${name} wrote`)
      }
      assert.deepEqual(world.incidents, [])
    })
})

test('a key is worth nothing from the request after its revocation', async () => {
  const world = await openCast()
  try {
    const { home, opened, call } = world
    const { reviewCaseId } = await opened(home.app)
    const read = () =>
      call({
        host: 'ingest',
        method: 'GET',
        path: `/v1/review-cases/${reviewCaseId}`,
        as: home.app,
      })
    assert.equal((await read()).status, 200)
    const revoked = await call({
      host: 'portal',
      method: 'DELETE',
      path: `/v1/applications/${home.app.applicationId}/application-keys/${home.app.keyId}`,
      as: home.admin,
    })
    assert.deepEqual([revoked.status, revoked.json.status], [200, 'Revoked'])
    assert.equal((await read()).status, 401)
    const stored = world.contents()
    assert.equal(stored.includes(home.app.key), false, 'the value is stored')
    const list = await call({
      host: 'portal',
      method: 'GET',
      path: `/v1/applications/${home.app.applicationId}/application-keys`,
      as: home.admin,
    })
    assert.equal(list.text.includes(home.app.key), false)
    const [masked] = list.json.applicationKeys as readonly { prefix: string }[]
    assert.equal(masked?.prefix, home.app.key.slice(0, 12))
  } finally {
    await world.close()
  }
})
