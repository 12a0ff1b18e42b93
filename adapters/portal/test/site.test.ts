import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import Koa from 'koa'
import { portalSite } from '../site.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

describe('the site', () => {
  const app = new Koa()
  app.use(portalSite())
  app.use((ctx) => {
    ctx.body = 'the API'
  })
  const server = createServer(app.callback())
  let port = 0

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  const html = { accept: 'text/html' }

  async function ask(path: string, headers = {}, method = 'GET'): Promise<Answer> {
    const asked = request({ port, path, method, headers }).end()
    const [answer] = await once(asked, 'response')
    const body = Buffer.concat(await answer.toArray())
    return { status: answer.statusCode, headers: answer.headers, body }
  }

  const assetsOf = (page: Buffer) =>
    [...page.toString().matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)

  it('answers one page for each path of a page, which is never stored', async () => {
    const first = await ask('/', html)
    const deep = await ask('/cases/rc_1', html)
    assert.equal(first.status, 200)
    assert.equal(first.headers['cache-control'], 'no-store')
    assert.deepEqual(deep.body, first.body)
  })

  it('answers the files that the page names, which are kept for good', async () => {
    const { body } = await ask('/', html)
    const paths = assetsOf(body)
    const endings = paths.map((path) => path.slice(path.lastIndexOf('.')))
    const others = endings.filter((ending) => ending !== '.js')
    assert.deepEqual(others, ['.svg', '.webmanifest', '.css'])
    assert.ok(endings.length > others.length)
    for (const path of paths) {
      const answer = await ask(path)
      assert.equal(answer.status, 200, path)
      assert.match(String(answer.headers['cache-control']), /immutable/)
    }
  })

  it('compresses as the browser asks', async () => {
    const plain = await ask('/', html)
    for (const coding of ['br', 'gzip']) {
      const small = await ask('/', { ...html, 'accept-encoding': coding })
      assert.equal(small.headers['content-encoding'], coding)
      assert.ok(small.body.length < plain.body.length)
    }
    assert.equal(plain.headers['content-encoding'], undefined)
  })

  it('lets a page run, load and reach nothing but its own origin', async () => {
    const { headers, body } = await ask('/', html)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /require-trusted-types-for 'script'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.doesNotMatch(body.toString(), /<style|<script>|\son\w+=|\sstyle=/)
    assert.equal(headers['x-frame-options'], 'DENY')
  })

  it('has the page that verifies evidence offline, which may run its own script alone', async () => {
    const { status, headers, body } = await ask('/countersign-verify.html', html)
    assert.equal(status, 200)
    assert.match(body.toString(), /<h1>Verify Countersign evidence<\/h1>/)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/)
    assert.match(policy, /frame-ancestors 'none'$/)
    assert.doesNotMatch(policy, /connect-src|unsafe|\*/)
  })

  for (const [what, path, headers, method] of [
    ['an operation', '/v1/review-cases', html, 'GET'],
    ['keys', '/.well-known/webhook-keys/t', html, 'GET'],
    ['the description', '/openapi.json', html, 'GET'],
    ['a write', '/', html, 'POST'],
    ['a program', '/queue', { accept: 'application/json' }, 'GET'],
    ['a file of another build', '/assets/main-00000000.js', {}, 'GET'],
    ['a path out of the folder', '/assets/../index.html', {}, 'GET'],
  ] as const)
    it(`passes on ${what}`, async () => {
      assert.equal((await ask(path, headers, method)).body.toString(), 'the API')
    })

  describe('of an embedder', () => {
    const accent = { light: '#7a1f5c', dark: '#ffa8dc' }
    const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>')
    const brand = {
      name: 'Acme "&" <Sons>',
      accent,
      logo: { type: 'image/svg+xml', bytes: svg },
    } as const

    it('has its name, colours and logo, from its own origin', async () => {
      const own = new Koa()
      own.use(portalSite({ brand }))
      const listening = createServer(own.callback()).listen(0, '127.0.0.1')
      await once(listening, 'listening')
      const { port: ownPort } = listening.address() as AddressInfo
      const read = async (path: string) => {
        const answer = await fetch(`http://127.0.0.1:${ownPort}${path}`, { headers: html })
        return { type: answer.headers.get('content-type'), text: await answer.text() }
      }
      const { text } = await read('/queue')
      assert.match(text, /<title>Acme &#34;&#38;&#34; &#60;Sons&#62;<\/title>/)
      assert.match(text, /application-name" content="Acme &#34;&#38;&#34; &#60;Sons&#62;">/)
      const files = await Promise.all(assetsOf(Buffer.from(text)).map(read))
      const typed = (type: string) =>
        files.filter((file) => file.type?.startsWith(type)).map((file) => file.text)
      assert.deepEqual(typed('image/svg+xml'), [Buffer.from(svg).toString()])
      assert.equal(JSON.parse(typed('application/manifest')[0] ?? '').name, brand.name)
      assert.match(
        typed('text/css').at(-1) ?? '',
        /--accent: light-dark\(#7a1f5c, #ffa8dc\); --on-accent: light-dark\(#ffffff, #0d1522\)/,
      )
      listening.close()
    })

    for (const [what, wrong, message] of [
      [
        'an accent that is too pale',
        { accent: { ...accent, light: '#ffa8dc' } },
        /contrast of at least 4.5 on #ffffff, got 1/,
      ],
      ['an accent that is too dark', { accent: { ...accent, dark: '#7a1f5c' } }, /on #14181e/],
      [
        'a colour of another form',
        { accent: { ...accent, light: 'red;}' } },
        /expected a colour as #rrggbb, got red;}/,
      ],
      ['no name', { name: ' ' }, /expected a name/],
    ] as const)
      it(`is refused with ${what}`, () => {
        assert.throws(() => portalSite({ brand: { ...brand, ...wrong } }), message)
      })
  })

  it('does not start where nothing was built', () => {
    const directory = new URL('.', import.meta.url).pathname
    assert.throws(() => portalSite({ directory }), /expected index.html/)
  })
})
