import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { deviceCookie } from '../index.ts'
import { bytesPerRequest } from '../rate-limit.ts'
import { type Answered, send } from './client.ts'
import { openWorld, password, type World } from './world.ts'

const address = { 'x-forwarded-for': '203.0.113.1' }

function login(world: World, body: unknown, headers: Record<string, string> = address) {
  const json = { 'content-type': 'application/json', ...headers }
  return world.call({ host: 'portal', method: 'POST', path: '/v1/auth/login', body, headers: json })
}

const codeOf = ({ status, json }: Answered) => `${status} ${json.code ?? 'ok'}`

/** The header with the device cookie that a login has set. */
function deviceOf(answer: Answered): Record<string, string> {
  const cookie = answer.headers['set-cookie']?.find((each) => each.startsWith(deviceCookie.name))
  assert.ok(cookie)
  return { cookie: cookie.slice(0, cookie.indexOf(';')) }
}

describe('the rate of the portal', () => {
  test('is counted for each member, and refused with Retry-After', async () => {
    const world = await openWorld({ perMember: 3 })
    try {
      const { auditor, reviewer, call, clock } = world
      const ask = (as = auditor) =>
        call({ host: 'portal', method: 'GET', path: '/v1/auth/session', as })
      for (let asked = 0; asked < 3; asked++) {
        assert.equal((await ask()).status, 200)
        await clock.advance(10_000)
      }
      const refused = await ask()
      assert.equal(codeOf(refused), '429 rate_limited')
      assert.equal(refused.headers['retry-after'], '30')
      assert.equal((await ask(reviewer)).status, 200)
      // 403 is told before 429, and 429 before what is wrong with the body.
      const asked = {
        host: 'portal',
        method: 'POST',
        path: '/v1/applications',
        as: auditor,
      } as const
      assert.equal(codeOf(await call({ ...asked, body: '{' })), '403 forbidden')
      const logout = { ...asked, path: '/v1/auth/logout', body: '{' }
      assert.equal(codeOf(await call(logout)), '429 rate_limited')
      await clock.advance(30_000)
      assert.equal((await ask()).status, 200)
    } finally {
      await world.close()
    }
  })

  test('is counted for each address without a session, but not for a device that logged in', async () => {
    const world = await openWorld({ perAddress: 3 })
    try {
      const right = { email: world.auditor.email, password }
      const first = await login(world, right)
      assert.equal(first.status, 200)
      for (let tried = 0; tried < 2; tried++)
        assert.equal(codeOf(await login(world, right)), '200 ok')
      const refused = await login(world, right)
      assert.equal(codeOf(refused), '429 rate_limited')
      assert.equal(refused.headers['retry-after'], '60')
      assert.equal(
        codeOf(await login(world, right, { 'x-forwarded-for': '203.0.113.1:4711' })),
        '429 rate_limited',
      )
      assert.equal(
        codeOf(await login(world, right, { 'x-forwarded-for': '203.0.113.2' })),
        '200 ok',
      )
      const device = { ...address, ...deviceOf(first) }
      for (let tried = 0; tried < 3; tried++)
        assert.equal(codeOf(await login(world, right, device)), '200 ok')
      assert.equal(codeOf(await login(world, right, device)), '429 rate_limited')
      // Who has a session is counted as its member.
      const asked = { host: 'portal', method: 'GET', path: '/v1/auth/session' } as const
      const answer = await world.call({ ...asked, as: world.auditor, headers: address })
      assert.equal(answer.status, 200)
    } finally {
      await world.close()
    }
  })
})

describe('the rate of guests', () => {
  test('is one for all devices that a member has logged in from', async () => {
    const world = await openWorld({ perAddress: 3 })
    try {
      const right = { email: world.auditor.email, password }
      const devices = []
      for (const last of [1, 2, 3])
        devices.push(
          deviceOf(await login(world, right, { 'x-forwarded-for': `203.0.113.${last}` })),
        )
      const codes = []
      for (const device of [...devices, ...devices])
        codes.push(codeOf(await login(world, right, { ...address, ...device })))
      const [fine, refused] = ['200 ok', '429 rate_limited']
      assert.deepEqual(codes, [fine, fine, fine, refused, refused, refused])
      const other = { email: world.reviewer.email, password }
      const device = deviceOf(await login(world, other, { 'x-forwarded-for': '203.0.113.4' }))
      assert.equal(codeOf(await login(world, other, device)), '200 ok')
    } finally {
      await world.close()
    }
  })
})

describe('the rate of a key', () => {
  const mebibyte = 1024 * 1024

  test('counts the bytes of bodies that broke off or were too large', async () => {
    const world = await openWorld({ perMinute: 100 })
    try {
      const { app } = world.home
      const path = '/v1/review-cases/rc_0'
      const remaining = async () => {
        const answer = await world.call({ host: 'ingest', method: 'GET', path, as: app })
        return Number(answer.headers['x-ratelimit-remaining'])
      }
      const post = {
        method: 'POST',
        path: '/v1/review-cases',
        headers: { 'x-api-key': app.key, 'content-type': 'application/json' },
      }
      let left = await remaining()
      const spent = async () => {
        const before = left
        left = await remaining()
        return before - left - 1
      }
      const chunked = { ...post.headers, 'transfer-encoding': 'chunked' }
      const large = await send(world.ports.ingest, {
        ...post,
        headers: chunked,
        body: ' '.repeat(mebibyte + 1),
      })
      assert.equal(codeOf(large), '413 body_too_large')
      assert.equal(await spent(), 1 + mebibyte / bytesPerRequest)

      const asked = request({ host: '127.0.0.1', port: world.ports.ingest, agent: false, ...post })
      asked.on('error', () => {})
      asked.setHeader('content-length', mebibyte)
      await new Promise((sent) => asked.write(' '.repeat(mebibyte - 1), sent))
      // The server has read it when it is counted; until then each look costs its own request.
      asked.destroy()
      let most = 0
      for (let looks = 0; looks < 200 && most < 1; looks++) most = Math.max(most, await spent())
      assert.equal(most >= 1, true)
    } finally {
      await world.close()
    }
  })
})

describe('the throttle of logins', () => {
  for (const [name, body, refusal] of [
    ['a body that is no JSON', '{', '400 invalid_request'],
    ['unknown members', { email: 'a@b', password: 'x', x: 1 }, '400 invalid_request'],
    ['no password', { email: 'a@b' }, '400 invalid_request'],
    ['a body that is too large', ' '.repeat(17 * 1024), '413 body_too_large'],
  ] as const)
    test(`counts ${name} against its address, before the next one is read`, async () => {
      const world = await openWorld()
      try {
        for (let tried = 0; tried < 5; tried++)
          assert.equal(codeOf(await login(world, body)), refusal)
        const refused = await login(world, body)
        assert.equal(codeOf(refused), '429 too_many_attempts')
        assert.equal(refused.headers['retry-after'], '1')
        const right = { email: world.auditor.email, password }
        assert.equal(codeOf(await login(world, right)), '429 too_many_attempts')
        const other = { 'x-forwarded-for': '203.0.113.2' }
        assert.equal(codeOf(await login(world, right, other)), '200 ok')
      } finally {
        await world.close()
      }
    })

  test('lets a device in that has logged in before, whatever strangers do to its e-mail and address', async () => {
    const world = await openWorld()
    try {
      const right = { email: world.auditor.email, password }
      const device = deviceOf(await login(world, right))
      const wrong = { ...right, password: 'wrong' }
      for (let tried = 0; tried < 5; tried++)
        assert.equal(codeOf(await login(world, wrong)), '401 invalid_credentials')
      assert.equal(codeOf(await login(world, right)), '429 too_many_attempts')
      const again = await login(world, right, { ...address, ...device })
      assert.equal(codeOf(again), '200 ok')
      assert.equal(again.text.includes('device'), false, 'the token is for the cookie alone')
    } finally {
      await world.close()
    }
  })
})
