import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { askLinks, externalLinks } from '../external-links.mjs'
import { deadLinks } from '../internal-links.mjs'
import { home } from '../packages.mjs'
import { plantFiles } from './plant.mjs'

test('links of documents lead to files and headings that are there', () => {
  assert.deepEqual(deadLinks(home), [])
})

test('a link to no file and one to no heading are found', (t) => {
  const root = plantFiles(t, {
    'README.md':
      '# Top\n[a](docs/a.md#here) [b](docs/b.md) [c](docs/a.md#gone) [d](#top) [e](#no)\n',
    'docs/a.md': '# Here\n[up](../README.md#top) [out](https://elsewhere.dev/x)\n',
    'docs/c.md':
      '[w](https://github.com/countersign/countersign/blob/main/docs/z.md) [x](https://github.com/countersign/countersign/tree/main/docs#readme)',
  })
  assert.deepEqual(
    deadLinks(root).map(({ file, line, text }) => `${file}:${line} ${text}`),
    [
      'README.md:2 docs/b.md: there is no docs/b.md',
      'README.md:2 docs/a.md#gone: docs/a.md has no such heading',
      'README.md:2 #no: README.md has no such heading',
      'docs/c.md:1 https://github.com/countersign/countersign/blob/main/docs/z.md: there is no docs/z.md',
    ],
  )
})

test('external links are those that lead somewhere, each once with its places', (t) => {
  const root = plantFiles(t, {
    'README.md': 'See [a](https://a.dev/x#one), https://a.dev/x. Not https://h.example/y\n',
    'one/message.ts':
      "throw new Error(`see https://b.dev/${page}`)\n// https://a.dev/x\nconst at = 'http://127.0.0.1:80/'\n",
    'one/test/own.ts': "'https://c.dev/'",
  })
  assert.deepEqual(externalLinks(root), [
    {
      url: 'https://a.dev/x',
      places: [
        { file: 'README.md', line: 1 },
        { file: 'README.md', line: 1 },
        { file: 'one/message.ts', line: 2 },
      ],
    },
  ])
})

/** A server that answers `/<status of HEAD>/<status of GET>`, or nothing for `/silent`; what it was asked. */
async function listen(t) {
  const asked = []
  let atOnce = 0
  let most = 0
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    atOnce += 1
    most = Math.max(most, atOnce)
    response.once('close', () => {
      atOnce -= 1
    })
    const [, head, get = head] = request.url.split('?')[0].split('/')
    if (head === 'silent') return
    if (head === 'moved') response.setHeader('location', '/200')
    const status = head === 'moved' ? 302 : Number(request.method === 'HEAD' ? head : get)
    setImmediate(() => response.writeHead(status).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const at = `http://127.0.0.1:${server.address().port}`
  return { asked, most: () => most, at, to: (path) => ({ url: `${at}${path}`, places: [] }) }
}

test('a link is asked by HEAD, and by GET only where that fails', async (t) => {
  const { asked, to } = await listen(t)
  const paths = ['/200', '/moved', '/405/200', '/404', '/403']
  const { failed, untold, ...rest } = await askLinks(paths.map(to), { atOnce: 1 })
  assert.deepEqual(rest, { asked: 5 })
  assert.deepEqual(
    asked,
    ['/200', '/moved', '/200']
      .map((path) => `HEAD ${path}`)
      .concat(['HEAD /405/200', 'GET /405/200', 'HEAD /404', 'GET /404', 'HEAD /403', 'GET /403']),
  )
  assert.deepEqual(failed, [{ ...to('/404'), says: '404 Not Found' }])
  assert.deepEqual(untold, [{ ...to('/403'), says: '403 Forbidden' }])
})

test('silence and a closed port are failures, and few are asked at once', async (t) => {
  const { to, most, at } = await listen(t)
  const closed = { url: 'http://127.0.0.1:1/', places: [{ file: 'a.md', line: 3 }] }
  const silent = to('/silent')
  // Nothing but these two may wait; the rest are answered at once.
  const quick = await askLinks(
    [...Array(12).keys()].map((each) => to(`/200?${each}`)),
    { atOnce: 3 },
  )
  assert.deepEqual(quick, { asked: 12, failed: [], untold: [] })
  assert.ok(most() <= 3, `${most()} at once at ${at}`)
  const { failed } = await askLinks([silent, closed], { timeout: 40 })
  assert.deepEqual(failed.map(({ url }) => url).sort(), [silent.url, closed.url].sort())
  for (const { says } of failed) assert.match(says, /timeout|ECONNREFUSED|bad port/)
})

test('the command lists without asking', async (t) => {
  const root = plantFiles(t, { 'README.md': '\n[a](https://a.dev/x)\n' })
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(home, '.ci/links.mjs'),
    '--list',
    '--root',
    root,
  ])
  assert.equal(stdout, 'https://a.dev/x\n    README.md:2\n')
})
