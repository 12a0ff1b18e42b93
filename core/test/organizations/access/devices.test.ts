import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PasswordQueue } from '@countersign/core/ports'
import { plainPasswords } from '@countersign/core/testing'
import fc from 'fast-check'
import {
  createLoginThrottle,
  type LoginKeys,
  type LoginThrottle,
} from '../../../organizations/logins/login-throttle.ts'
import { code, createFixture, type Fixture, password, value } from './fixture.ts'

const minute = 60_000
const ada = 'ada@acme.example'
const rob = 'rob@acme.example'

async function deviceOf({ login }: Fixture, email: string): Promise<string> {
  return value(await login(email)).device.token
}

describe('a device that has logged in before', () => {
  it('logs in 48 times of 48 while one address guesses at the same e-mail whenever it may', async () => {
    const fixture = await createFixture()
    const { access, clock } = fixture
    const device = await deviceOf(fixture, ada)
    const right = { email: ada, password, address: '192.0.2.7' }
    const guess = () => access.login({ email: ada, password: 'wrong', address: '203.0.113.1' })
    for (let failure = 0; failure < 5; failure++) await guess()
    for (let round = 0; round < 48; round++) {
      await clock.advance(15 * minute)
      assert.equal(code(await guess()), 'invalid_credentials')
      assert.equal(code(await access.login(right)), 'too_many_attempts', 'the siege is real')
      assert.equal(code(await access.login({ ...right, device })), 'ok')
    }
  })

  it('is known for its own e-mail alone', async () => {
    const fixture = await createFixture()
    const device = await deviceOf(fixture, rob)
    const guess = { email: ada, password: 'wrong', device }
    for (let failure = 0; failure < 5; failure++)
      assert.equal(
        code(await fixture.access.login({ ...guess, address: `192.0.2.${failure}` })),
        'invalid_credentials',
      )
    assert.equal(
      code(await fixture.access.login({ ...guess, address: '192.0.2.9' })),
      'too_many_attempts',
    )
    assert.equal(
      code(await fixture.access.login({ email: rob, password, device, address: '192.0.2.9' })),
      'ok',
    )
  })

  it('has failures of its own, which count for it alone and end with a success', async () => {
    const fixture = await createFixture()
    const { access, clock } = fixture
    const device = await deviceOf(fixture, ada)
    const at = { email: ada, address: '192.0.2.1' }
    for (let failure = 0; failure < 5; failure++)
      assert.equal(
        code(await access.login({ ...at, password: 'wrong', device })),
        'invalid_credentials',
      )
    assert.equal(code(await access.login({ ...at, password, device })), 'too_many_attempts')
    assert.equal(code(await access.login({ ...at, password })), 'ok')
    await clock.advance(1000)
    assert.equal(code(await access.login({ ...at, password, device })), 'ok')
    assert.equal(
      code(await access.login({ ...at, password: 'wrong', device })),
      'invalid_credentials',
    )
    assert.equal(code(await access.login({ ...at, password, device })), 'ok')
  })

  it('waits for its password apart from strangers', async () => {
    const queues: PasswordQueue[] = []
    const plain = plainPasswords()
    const fixture = await createFixture({
      passwords: {
        ...plain,
        verify: (given, stored, queue) => {
          queues.push(queue)
          return plain.verify(given, stored, queue)
        },
      },
    })
    const device = await deviceOf(fixture, ada)
    const address = '192.0.2.1'
    await fixture.access.login({ email: ada, password, address, device })
    await fixture.access.login({ email: rob, password, address, device })
    await fixture.access.login({ email: ada, password, address, device: `${device}0` })
    assert.deepEqual(queues, ['strangers', 'known', 'strangers', 'strangers'])
  })

  it('is its member’s, whatever number of them, and is forgotten half a year after its last login', async () => {
    const fixture = await createFixture()
    const { access, clock } = fixture
    const first = await deviceOf(fixture, ada)
    const id = await access.knownDevice(first)
    assert.match(String(id), /^[0-9a-f]{64}$/)
    assert.equal(await access.knownDevice(await deviceOf(fixture, ada)), id)
    assert.notEqual(await access.knownDevice(await deviceOf(fixture, rob)), id)
    clock.jump(100 * 24 * 60 * minute)
    const again = { email: ada, password, address: '192.0.2.1' }
    const second = value(await access.login({ ...again, device: first })).device.token
    clock.jump(100 * 24 * 60 * minute)
    assert.equal(await access.knownDevice(first), null)
    assert.equal(await access.knownDevice(second), id)
  })

  it('keeps its failures from login to login, which no other device of the member shares', async () => {
    const fixture = await createFixture()
    const { access } = fixture
    const [first, other] = [await deviceOf(fixture, ada), await deviceOf(fixture, ada)]
    const right = { email: ada, password, address: '192.0.2.1' }
    const second = value(await access.login({ ...right, device: first })).device.token
    for (let failure = 0; failure < 5; failure++)
      await access.login({ ...right, password: 'wrong', device: first })
    const codes = [first, second, other].map(async (device) =>
      code(await access.login({ ...right, device })),
    )
    assert.deepEqual(await Promise.all(codes), ['too_many_attempts', 'too_many_attempts', 'ok'])
  })

  it('opens no session, and a session is no device', async () => {
    const { access, login } = await createFixture()
    const { token, device } = value(await login(ada))
    assert.equal(code(await access.authenticateMember(device.token)), 'authentication_required')
    assert.equal(await access.knownDevice(token), null)
  })
})

describe('a login that can not be read', () => {
  it('counts as a failure of its address', async () => {
    const { access, login, clock } = await createFixture()
    const caller = { address: '192.0.2.1' }
    for (let failure = 0; failure < 5; failure++) {
      assert.equal(code(await access.admitLogin(caller)), 'ok')
      await access.rejectLogin(caller)
    }
    const refused = await access.admitLogin(caller)
    assert.ok(!refused.ok)
    assert.deepEqual([refused.refusal.code, refused.refusal.retryAfter], ['too_many_attempts', 1])
    assert.equal(code(await login(ada)), 'too_many_attempts')
    assert.equal(code(await access.admitLogin({ address: '192.0.2.2' })), 'ok')
    await clock.advance(1000)
    assert.equal(code(await login(ada)), 'ok')
  })

  it('counts as a failure of its device where that is known', async () => {
    const fixture = await createFixture()
    const device = await deviceOf(fixture, ada)
    const caller = { address: '192.0.2.1', device }
    for (let failure = 0; failure < 5; failure++) await fixture.access.rejectLogin(caller)
    assert.equal(code(await fixture.access.admitLogin(caller)), 'too_many_attempts')
    assert.equal(code(await fixture.access.admitLogin({ address: '192.0.2.1' })), 'ok')
  })

  for (const email of ['nobody', 'a@b\u0000', 'a b@acme.example'])
    it(`with the impossible e-mail ${JSON.stringify(email.slice(-20))} counts for its address alone`, async () => {
      const { access } = await createFixture()
      const fail = (address: string) => access.login({ email, password: 'wrong', address })
      for (let failure = 0; failure < 9; failure++)
        assert.equal(code(await fail(`192.0.2.${failure}`)), 'invalid_credentials')
      for (let failure = 0; failure < 4; failure++) await fail('192.0.2.1')
      assert.equal(code(await fail('192.0.2.1')), 'too_many_attempts')
    })

  it('for its length is an error of the input, before any password is checked', async () => {
    const { access, counts } = await createFixture()
    const before = counts.reads
    const email = `${'a'.repeat(400)}@acme.example`
    for (let failure = 0; failure < 9; failure++)
      assert.equal(
        code(await access.login({ email, password: 'wrong', address: '192.0.2.1' })),
        'invalid_request',
      )
    assert.equal(counts.reads, before)
  })

  it('with an impossible password is one failure of its e-mail too', async () => {
    const { access } = await createFixture()
    for (let failure = 0; failure < 5; failure++)
      await access.login({ email: ada, password: '\0', address: `192.0.2.${failure}` })
    const next = await access.login({ email: ada, password, address: '192.0.2.9' })
    assert.equal(code(next), 'too_many_attempts')
  })
})

describe('the tables of the throttle', () => {
  const callers = fc.oneof(
    fc.nat(1).map((n): LoginKeys => ({ device: `d${n}` })),
    fc
      .tuple(fc.nat(5), fc.nat(50))
      .map(([n, m]): LoginKeys => ({ email: n === 5 ? null : `e${n}`, address: `a${m}` })),
  )
  const steps = fc.array(fc.record({ keys: callers, wait: fc.nat(300) }), {
    maxLength: 80,
    size: 'max',
  })

  /** Replays the steps, all of which fail; what a device waits afterwards. */
  function waitOf(
    run: readonly { keys: LoginKeys; wait: number }[],
    throttle: LoginThrottle,
  ): number {
    let now = 0
    for (const { keys, wait } of run) {
      now += wait
      const tried = throttle.begin(keys, now)
      if (tried.kind === 'try') tried.end('failed', now)
    }
    return throttle.wait({ device: 'd0' }, now)
  }
  const small = () => createLoginThrottle({ strangers: 4, devices: 4 })

  const keepsApart = (make: () => LoginThrottle) =>
    fc.property(steps, (run) => {
      let late = 0
      const alone = run.flatMap((step) => {
        late += step.wait
        if (!('device' in step.keys)) return []
        const wait = late
        late = 0
        return [{ ...step, wait }]
      })
      const end = { keys: { device: 'none' }, wait: late }
      assert.equal(waitOf(run, make()), waitOf([...alone, end], make()))
    })

  it('keep devices and strangers apart: without what strangers did, a device waits as long', () => {
    fc.assert(keepsApart(small))
  })

  it('in one table would not', () => {
    const shared = (): LoginThrottle => {
      const throttle = small()
      const stranger = (keys: LoginKeys): LoginKeys =>
        'device' in keys ? { email: null, address: keys.device } : keys
      return {
        ...throttle,
        wait: (keys, now) => throttle.wait(stranger(keys), now),
        begin: (keys, now) => throttle.begin(stranger(keys), now),
      }
    }
    assert.ok(fc.check(keepsApart(shared), { numRuns: 5000 }).failed)
  })

  it('never lock a device: within fifteen minutes it may try', () => {
    fc.assert(fc.property(steps, (run) => assert.ok(waitOf(run, small()) <= 15 * 60)))
  })
})
