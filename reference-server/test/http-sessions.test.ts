import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { collections, createService, logs, type MemberActor } from '@countersign/core'
import { members } from '@countersign/core/access'
import { put } from '@countersign/core/ledger'
import { type Passwords, silentObserver } from '@countersign/core/ports'
import {
  answered,
  createManualClock,
  createMemoryBlobs,
  createMemoryStore,
  newOrganization,
  plainCipher,
  plainSealer,
  scriptedTransport,
  seededRandom,
} from '@countersign/core/testing'
import { createApp, portalRouter } from '@countersign/koa'
import {
  egressGuard,
  nativePrimitives,
  passwords,
  rateWindow,
  sessionTokens,
} from '@countersign/node'
import { granted } from '../seed.ts'

const start = Date.UTC(2026, 10, 21, 9, 0, 0)
const day = 24 * 3_600_000
const secret = new Uint8Array(32).fill(7)
const issuer = 'https://portal.example'
const email = 'admin@acme.example'
const password = 'correct horse battery'

/** The portal with Node's own tokens, password hashes and egress guard, on a store in memory. */
async function openPortal(options: { readonly verify?: Passwords['verify'] } = {}) {
  const store = createMemoryStore({ collections, logs })
  const clock = createManualClock(start)
  const random = seededRandom(11)
  const observer = silentObserver
  // Cheaper than in production, else the same.
  const slow = passwords({ logN: 10 })
  let checked = 0
  const counted: Passwords = {
    hash: slow.hash,
    verify: (...asked) => {
      checked++
      return (options.verify ?? slow.verify)(...asked)
    },
  }
  const service = createService({
    ports: {
      store,
      clock,
      random,
      primitives: nativePrimitives,
      transport: scriptedTransport(() => answered(200)),
      egress: egressGuard({ allowedSubnets: [], refusedPorts: [] }),
      sealer: plainSealer(),
      cipher: plainCipher(),
      blobs: createMemoryBlobs(),
      passwords: counted,
      tokens: sessionTokens({ secret, issuer }),
    },
    ingestUrl: 'https://ingest.example',
  })
  const { tenantId, admin } = await newOrganization(service, { email, password })
  const router = portalRouter({
    service,
    clock,
    observer,
    rateLimit: { window: rateWindow(), perMinute: 600 },
    portalRateLimit: { window: rateWindow(), perMember: 600, perAddress: 600 },
    sandboxTenantId: null,
  })
  const answer = createApp(router, { random, observer }).callback()
  const server: Server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function call(method: string, path: string, given: { token?: string; body?: object } = {}) {
    const { token, body } = given
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { cookie: `service_customer_token=${token}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const { status, headers } = response
    return { status, headers, json: (await response.json()) as Record<string, unknown> }
  }
  const login = (as = email, given = password) =>
    call('POST', '/v1/auth/login', { body: { email: as, password: given } })

  return {
    store,
    origin,
    clock,
    service,
    tenantId,
    adminId: admin.memberId,
    call,
    login,
    token: async () => String((await login()).json.token),
    /** The status of a read with this token. */
    session: async (token: string) => (await call('GET', '/v1/auth/session', { token })).status,
    checked: () => checked,
    alter: async (patch: object) => {
      const [was] = store.rows(members)
      assert.ok(was)
      const row = { ...was.row, ...patch }
      await store.commit({ tenant: null, puts: [put(members, row, was)] })
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Portal = Awaited<ReturnType<typeof openPortal>>

/** Runs with a portal of its own. */
function portalTest(name: string, run: (portal: Portal) => Promise<void>): void {
  test(name, async () => {
    const portal = await openPortal()
    try {
      await run(portal)
    } finally {
      await portal.close()
    }
  })
}

describe('a login whose caller leaves', () => {
  test('is known as left to the password check that waits for its turn', async () => {
    const turns: boolean[] = []
    let waits = () => {}
    const waiting = new Promise<void>((resolve) => {
      waits = resolve
    })
    const portal = await openPortal({
      verify: async (_password, _stored, _queue, caller) => {
        turns.push(caller?.aborted ?? true)
        waits()
        for (let turn = 0; turn < 1_000 && !caller?.aborted; turn++)
          await new Promise((resolve) => setTimeout(resolve, 2))
        turns.push(caller?.aborted ?? false)
        return null
      },
    })
    const over = new AbortController()
    const asked = fetch(`${portal.origin}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
      signal: over.signal,
    })
    await waiting
    over.abort()
    await assert.rejects(asked)
    while (turns.length < 2) await new Promise(setImmediate)
    assert.deepEqual(turns, [false, true])
    await portal.close()
  })
})

describe('a session', () => {
  portalTest('lasts a day to the second', async ({ clock, session, token }) => {
    const held = await token()
    clock.jump(day - 1_000)
    assert.equal(await session(held), 200)
    clock.jump(1_000)
    assert.equal(await session(held), 401)
    clock.jump(1_000)
    assert.equal(await session(held), 401)
  })

  portalTest(
    'of a token that chooses how it is verified is none',
    async ({ call, session, token, tenantId, adminId }) => {
      const right = await token()
      const [head = '', payload = '', mac = ''] = right.split('.')
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const forged = (header: object, key: Uint8Array, hash = 'sha256') => {
        const text = `${encode(header)}.${payload}`
        return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
      }
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))
      const rsa = `${encode({ alg: 'RS256', typ: 'JWT' })}.${payload}`
      const zeros = new Uint8Array(32)
      const jwk = { kty: 'oct', k: Buffer.from(zeros).toString('base64url') }
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      assert.deepEqual([claims.sub, claims.tid], [adminId, tenantId])
      const wrong: Record<string, string> = {
        unsigned: `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
        'unsigned in capitals': `${encode({ alg: 'NONE', typ: 'JWT' })}.${payload}.`,
        'without its signature': `${head}.${payload}.`,
        'by RSA': `${rsa}.${sign('sha256', Buffer.from(rsa), privateKey).toString('base64url')}`,
        'by the RSA key as a secret': forged({ alg: 'HS256', typ: 'JWT' }, pem),
        'by a longer hash': forged({ alg: 'HS512', typ: 'JWT' }, secret, 'sha512'),
        'by the file that kid names': forged({ alg: 'HS256', typ: 'JWT', kid: '/dev/null' }, zeros),
        'by the key that it brings': forged({ alg: 'HS256', typ: 'JWT', jwk }, zeros),
        'by the key of a URL': forged(
          { alg: 'HS256', typ: 'JWT', jku: 'https://evil.example' },
          zeros,
        ),
        'with other claims': `${head}.${encode({ ...claims, sub: 'mem_other' })}.${mac}`,
      }
      for (const [what, held] of Object.entries(wrong)) assert.equal(await session(held), 401, what)
      // A token is a cookie and nothing else.
      const bearer = await call('GET', `/v1/auth/session?token=${right}`)
      assert.equal(bearer.status, 401)
      assert.equal(await session(right), 200)
    },
  )

  const ends: readonly (readonly [string, object])[] = [
    ['the member is suspended', { status: 'Suspended' }],
    ['the role changes', { role: 'CustomerAuditor', sessionVersion: 2 }],
    ['the password changes', { passwordHash: null, sessionVersion: 2 }],
  ]
  for (const [what, patch] of ends)
    portalTest(`ends when ${what}`, async ({ alter, session, token }) => {
      const held = await token()
      assert.equal(await session(held), 200)
      await alter(patch)
      assert.equal(await session(held), 401)
    })

  portalTest('ends with its logout, and on every device with one everywhere', async (portal) => {
    const { call, session, token } = portal
    const [one, other, third] = [await token(), await token(), await token()]
    assert.notEqual(one, other)
    assert.equal((await call('POST', '/v1/auth/logout', { token: one })).status, 200)
    assert.deepEqual([await session(one), await session(other)], [401, 200])
    const everywhere = { token: other, body: { everywhere: true } }
    assert.equal((await call('POST', '/v1/auth/logout', everywhere)).status, 200)
    assert.deepEqual([await session(other), await session(third)], [401, 401])
  })
})

describe('login', () => {
  portalTest('slows down after five failures, by e-mail', async ({ clock, login, checked }) => {
    for (let n = 0; n < 5; n++) assert.equal((await login(email, `wrong ${n}`)).status, 401)
    const right = await login()
    assert.deepEqual([right.status, right.json.code], [429, 'too_many_attempts'])
    assert.equal(right.headers.get('retry-after'), '1')
    assert.equal(checked(), 5)
    await clock.advance(1_000)
    assert.equal((await login()).status, 200)
    // The e-mail is forgiven; the address keeps its failures, and the sixth costs two seconds.
    assert.equal((await login(email, 'wrong again')).status, 401)
    const again = await login()
    assert.deepEqual([again.status, again.headers.get('retry-after')], [429, '2'])
  })

  portalTest(
    'slows down by address, for known and unknown e-mails alike',
    async ({ login, checked }) => {
      for (let n = 0; n < 5; n++)
        assert.equal((await login(`nobody-${n}@acme.example`)).status, 401)
      assert.equal((await login()).status, 429)
      // An unknown address costs the same work.
      assert.equal(checked(), 5)
    },
  )

  portalTest(
    'a hundred at once get no more tries than a hundred in a row',
    async ({ login, checked }) => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => login(email, `wrong ${n}`)),
      )
      const count = (status: number) => answers.filter((each) => each.status === status).length
      assert.deepEqual([count(401), count(429), checked()], [5, 95, 5])
      for (const { status, headers } of answers)
        if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1)
    },
  )
})

describe('a URL', () => {
  let portal: Portal
  before(async () => {
    portal = await openPortal()
  })
  after(() => portal.close())

  const refused: readonly (readonly [string, string])[] = [
    ['http://example.com/', 'invalid_url'],
    ['https://user@example.com/', 'invalid_url'],
    ...[
      'https://127.0.0.1/',
      'https://10.0.0.1/',
      'https://192.168.1.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[fd00:ec2::254]/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://0177.0.0.1/',
      'https://127.1/',
      'https://%31%32%37.0.0.1/',
      'https://１２７.0.0.1/',
      'https://93.184.216.34:22/',
    ].map((url) => [url, ''] as const),
  ]
  for (const [url, code] of refused)
    test(`${url} is refused wherever it is saved, and nothing is written`, async () => {
      const { call, service, store, tenantId, adminId, token } = portal
      const actor: MemberActor = {
        kind: 'member',
        tenantId,
        memberId: adminId,
        role: 'CustomerAdmin',
        permissions: [],
      }
      const { applicationId } = granted(await service.applications.create(actor, { name: 'x' }))
      const held = await token()
      const contents = () => JSON.stringify(collections.map((each) => store.rows(each as never)))
      const untouched = contents()
      for (const [method, path, more] of [
        ['POST', '/v1/webhooks', { eventTypes: ['*'] }],
        ['PUT', `/v1/applications/${applicationId}/outcome-callback`, { enabled: true }],
      ] as const) {
        const answer = await call(method, path, { token: held, body: { ...more, url } })
        assert.equal(answer.status, 400, JSON.stringify(answer.json))
        const [fault] = answer.json.errors as readonly { code: string; pointer: string }[]
        assert.equal(fault?.pointer, '/url')
        assert.match(fault?.code ?? '', /^(invalid_url|refused_address)$/)
        if (code) assert.equal(fault?.code, code)
      }
      assert.equal(contents(), untouched)
    })
})
