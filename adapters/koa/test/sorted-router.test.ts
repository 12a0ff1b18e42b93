import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Router from '@koa/router'
import { routes } from '../api.ts'
import { SortedRouter } from '../sorted-router.ts'

const noHandler = () => {}

function both(
  paths: readonly (readonly [method: 'get' | 'post' | 'put' | 'delete', path: string])[],
) {
  const made = { sensitive: true, strict: true }
  const [plain, sorted] = [new Router(made), new SortedRouter(made)]
  for (const router of [plain, sorted])
    for (const [method, path] of paths) router[method](path, noHandler)
  return { plain, sorted }
}

describe('the sorted router', () => {
  it('finds what the plain one finds, for every route, by its method and by another', () => {
    const rows = routes.map(({ method, path }) => [method.toLowerCase() as 'get', path] as const)
    const { plain, sorted } = both(rows)
    const asked = rows.map(([, path]) => path.replace(/:\w+/g, 'some_id'))
    const odd = ['/', '', '/v1', '/v1/', '/v1/review-cases/', '/V1/review-cases', '/v1/none/at/all']
    for (const path of [...asked, ...odd])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const [found, expected] = [sorted.match(path, method), plain.match(path, method)]
        assert.equal(found.route, expected.route, `${method} ${path}`)
        for (const part of ['path', 'pathAndMethod'] as const)
          assert.deepEqual(
            found[part].map((layer) => layer.path),
            expected[part].map((layer) => layer.path),
            `${method} ${path}`,
          )
      }
    assert.equal(sorted.match(asked[0] ?? '', rows[0]?.[0].toUpperCase() ?? '').route, true)
  })

  it('finds routes that come later, and those that can not be sorted', () => {
    const { sorted } = both([['get', '/v1/a/:id']])
    assert.equal(sorted.match('/v1/b/1', 'GET').route, false)
    sorted.get('/v1/b/:id', noHandler)
    assert.equal(sorted.match('/v1/b/1', 'GET').route, true)
    sorted.get('/:any/c', noHandler)
    assert.equal(sorted.match('/v2/c', 'GET').route, true)
    assert.equal(sorted.match('/v1/a/1', 'GET').route, true)
  })
})
