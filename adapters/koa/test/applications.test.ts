import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { formatApplicationTag, parseApplicationTag } from '../etag.ts'
import type { Asked } from './client.ts'
import { openWorld, type World } from './world.ts'

const createdAt = '2026-01-01T00:00:00.000Z'
const unjudged = { createdAt, health: { status: 'unknown', since: createdAt } } as const

describe('the settings of an application', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  async function made() {
    const body = { name: 'Assistant', settings: { governanceThreshold: 80 } }
    return world.call({
      ...{ host: 'portal', method: 'POST', path: '/v1/applications', as: world.home.admin, body },
    })
  }

  function put(applicationId: unknown, body: object, headers: Asked['headers'] = {}) {
    return world.call({
      host: 'portal',
      method: 'PUT',
      path: `/v1/applications/${String(applicationId)}`,
      as: world.home.admin,
      body,
      headers,
    })
  }

  test('come with a tag, which an update may demand', async () => {
    const { json, headers } = await made()
    const { applicationId } = json
    assert.deepEqual([headers.etag, json.version], ['"1"', 1])
    const first = await put(applicationId, { settings: { qualityThreshold: 60 } })
    assert.deepEqual([first.status, first.headers.etag], [200, '"2"'])
    assert.deepEqual(first.json.settings, { governanceThreshold: 80, qualityThreshold: 60 })
    const untouched = world.contents()
    const conflict = await put(applicationId, { version: 1, name: 'B' })
    assert.deepEqual([conflict.status, conflict.json.code], [409, 'version_conflict'])
    for (const tag of ['"1"', 'W/"2"', '"2.2"', '2', '"02"', '"2", "3"']) {
      const failed = await put(applicationId, { version: 2, name: 'B' }, { 'if-match': tag })
      assert.deepEqual([failed.status, failed.json.code], [412, 'precondition_failed'], tag)
    }
    assert.equal(world.contents(), untouched)
    const right = await put(applicationId, { version: 1, name: 'B' }, { 'if-match': '"2"' })
    assert.deepEqual([right.status, right.json.name, right.json.version], [200, 'B', 3])
    const any = await put(applicationId, { settings: null }, { 'if-match': '*' })
    assert.deepEqual([any.status, any.json.settings], [200, null])
  })

  test('are refused where they are none, each at its place', async () => {
    const { json } = await made()
    for (const [body, pointer] of [
      [{ stage: 'production' }, '/stage'],
      [{ settings: { governanceThreshold: 101 } }, '/settings/governanceThreshold'],
      [{ settings: { qualityThreshold: '60' } }, '/settings/qualityThreshold'],
      [{ settings: { other: 1 } }, '/settings/other'],
      [{ name: '' }, '/name'],
      [{ version: 0 }, '/version'],
    ] as const) {
      const { status, json: refused } = await put(json.applicationId, body)
      const [error] = refused.errors as readonly { readonly pointer: string }[]
      assert.deepEqual([status, error?.pointer], [400, pointer])
    }
  })

  test('have tags that say their version and nothing else', () => {
    for (const version of [1, 2, 10 ** 15 - 1])
      assert.equal(
        parseApplicationTag(formatApplicationTag({ ...unjudged, version, outcomeCallback: null })),
        version,
      )
    assert.deepEqual(['', '*', '"0"', '"x"'].map(parseApplicationTag), [null, null, 0, 0])
  })

  test('have another tag when the signing key that is shown is another', () => {
    const tagOf = (publicKey: string) =>
      formatApplicationTag({
        ...unjudged,
        version: 3,
        outcomeCallback: {
          ...{ url: 'https://app.example/', enabled: true, gone: false, updatedAt: '' },
          signing: {
            ...{ method: 'ed25519', publicKey, hasSecret: false },
            previousSecretValidUntil: null,
          },
        },
      })
    const tags = [tagOf('whpk_a+/aaaaaaaaaaaaaaa='), tagOf('whpk_bbbbbbbbbbbbbbbbbbbb=')]
    assert.deepEqual(tags, ['"3.a--aaaaaaaaa"', '"3.bbbbbbbbbbbb"'])
    assert.deepEqual(tags.map(parseApplicationTag), [3, 3])
  })

  test('have another tag when their health is another', () => {
    const tagOf = (health: typeof unjudged.health) =>
      formatApplicationTag({ ...unjudged, health, version: 3, outcomeCallback: null })
    const tags = [
      unjudged.health,
      { status: 'healthy', since: '2026-01-01T00:10:00.000Z' },
      { status: 'degraded', since: '2026-01-01T00:20:00.000Z' },
    ].map((health) => tagOf(health as typeof unjudged.health))
    assert.deepEqual([tags[0], new Set(tags).size], ['"3"', 3])
    assert.deepEqual(tags.map(parseApplicationTag), [3, 3, 3])
  })
})
