import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { describeApi, fileText } from '../description/documents.ts'
import { readSources } from '../description/read-sources.ts'
import { type Route, routes } from '../index.ts'
import { queryOf } from '../input.ts'
import { remedy, shippedText } from './shipped.ts'
import { openWorld, type World } from './world.ts'

describe('the descriptions that are shipped', () => {
  for (const file of [
    'openapi-ingest.json',
    'openapi-portal.json',
    'openapi-staff.json',
    'asyncapi.json',
  ])
    test(`${file} is as it would be made`, async () => {
      const made = describeApi(readSources())[file]
      assert.ok(made)
      assert.ok(
        fileText(made) === shippedText(file),
        `${file} is not as it would be made: ${remedy}`,
      )
    })

  const changes: Readonly<Record<string, (row: Route) => Partial<Route>>> = {
    'another name': () => ({ name: 'webhooks.make' }),
    'another summary': () => ({ summary: 'Make a webhook' }),
    'another path': ({ path }) => ({ path: `${path}/new` }),
    'another method': () => ({ method: 'PUT' }),
    'another right': () => ({ right: null }),
    'no credential': () => ({ auth: 'none' }),
    'a refusal less': () => ({ refuses: [] }),
    'a larger body': ({ body }) => ({ body: { ...body, limit: body.limit * 2 } }),
    'another body': ({ answer, body }) => ({
      body: { ...body, input: { ...queryOf({}), schema: answer.schema } },
    }),
    'another answer': ({ answer, query }) => ({ answer: { ...answer, schema: query.schema } }),
    'another media type': ({ answer }) => ({ answer: { ...answer, types: ['text/plain'] } }),
    'a header more': ({ answer }) => ({ answer: { ...answer, headers: ['ETag'] } }),
    'errors of another form': () => ({ errors: 'rpc' }),
  }
  for (const [name, change] of Object.entries(changes))
    test(`the document follows an operation with ${name}`, async () => {
      const sources = readSources()
      const sample = sources.samples['portal webhooks.create']
      assert.ok(sample)
      const samples = { ...sources.samples, 'portal webhooks.make': sample }
      const table = routes.map((row) =>
        row.name === 'webhooks.create' ? { ...row, ...change(row) } : row,
      )
      const made = describeApi({ ...sources, samples }, table)['openapi-portal.json']
      assert.ok(made)
      assert.notEqual(fileText(made), shippedText('openapi-portal.json'))
    })

  test('the two members for a secret of a webhook say which family they sign', async () => {
    const { paths } = JSON.parse(shippedText('openapi-portal.json'))
    for (const [path, method] of [
      ['/v1/webhooks', 'post'],
      ['/v1/webhooks/{webhookId}', 'put'],
    ] as const) {
      const { schema } = paths[path][method].requestBody.content['application/json']
      const { secret, signing } = schema.properties
      assert.match(secret.description, /legacy family's secret; it leaves the method/)
      assert.match(signing.properties.secret.description, /Alone it selects .*shared_secret/)
    }
  })

  test('the document follows other words about a member', async () => {
    const sources = readSources()
    const [from, to] = ['| why it was cancelled |', '| something else |']
    assert.ok(sources.wire.includes(from))
    const made = describeApi({ ...sources, wire: sources.wire.replaceAll(from, to) })
    const file = 'openapi-ingest.json'
    assert.notEqual(fileText(made[file] ?? {}), shippedText(file))
  })

  test('the document follows other words about an answer', async () => {
    const { words, ...sources } = readSources()
    const answers = { ...words.answers, 'ingest reviewCases.open': 'something else' }
    const made = describeApi({ ...sources, words: { ...words, answers } })
    const file = 'openapi-ingest.json'
    assert.notEqual(fileText(made[file] ?? {}), shippedText(file))
  })

  test('an answer without words is called by its title, and one without a title is refused', async () => {
    const { words, ...sources } = readSources()
    const without = (key: string) => {
      const { [key]: _, ...answers } = words.answers
      return describeApi({ ...sources, words: { ...words, answers } })
    }
    const made = JSON.stringify(without('portal alertRules.read')['openapi-portal.json'])
    assert.match(made, /"description":"The alert rule\."/)
    assert.throws(() => without('portal evidence.csv'), /evidence\.csv: give its answer a title/)
  })

  test('an event without an occasion is refused', async () => {
    const { words, ...sources } = readSources()
    const { 'session.flagged': _, ...occasions } = words.occasions
    const made = () => describeApi({ ...sources, words: { ...words, occasions } })
    assert.throws(made, /does not say when session\.flagged is sent/)
  })

  test('two answers of one name are refused', async () => {
    const renamed = { title: 'Webhook', type: 'object', properties: {} }
    const table = routes.map((row) =>
      row.name === 'webhooks.list' ? { ...row, answer: { ...row.answer, schema: renamed } } : row,
    )
    assert.throws(() => describeApi(readSources(), table), /two shapes are called Webhook/)
  })
})

describe('a description', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  for (const [host, path, file] of [
    ['ingest', '/openapi.json', 'openapi-ingest.json'],
    ['portal', '/openapi.json', 'openapi-portal.json'],
    ['staff', '/openapi.json', 'openapi-staff.json'],
    ['portal', '/v1/event-catalog', 'asyncapi.json'],
  ] as const)
    test(`is served at ${path} of the ${host} host as it is shipped, without a key`, async () => {
      const asked = { host, method: 'GET', path }
      const answer = await world.call(asked)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.json, JSON.parse(shippedText(file)))
      assert.equal(answer.headers['cache-control'], 'public, max-age=3600')
      const tag = answer.headers.etag ?? ''
      assert.match(tag, /^"[0-9a-f]{32}"$/)
      const again = await world.call({ ...asked, headers: { 'if-none-match': tag } })
      assert.deepEqual([again.status, again.text], [304, ''])
      assert.equal(again.headers.etag, tag)
      const other = await world.call({ ...asked, headers: { 'if-none-match': '"0"' } })
      assert.equal(other.status, 200)
      const head = await world.call({ ...asked, method: 'HEAD' })
      assert.equal(Number(head.headers['content-length']), Buffer.byteLength(answer.text))
    })

  test('a case that is as the caller has it is 304 too', async () => {
    const { reviewCaseId } = await world.opened(world.home.app)
    const path = `/v1/review-cases/${reviewCaseId}`
    const asked = { host: 'ingest', method: 'GET', path, as: world.home.app } as const
    const { headers } = await world.call(asked)
    const tag = headers.etag ?? ''
    const again = await world.call({ ...asked, headers: { 'if-none-match': tag } })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', tag])
    await world.call({
      ...asked,
      host: 'portal',
      as: world.reviewer,
      method: 'POST',
      path: `${path}/claim`,
      body: {},
    })
    const moved = await world.call({ ...asked, headers: { 'if-none-match': tag } })
    assert.equal(moved.status, 200)
  })
})
