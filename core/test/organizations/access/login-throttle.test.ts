import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { addressKey } from '../../../organizations/access/address-key.ts'
import {
  createLoginThrottle,
  delayAfter,
  freeFailures,
  type LoginThrottle,
} from '../../../organizations/logins/login-throttle.ts'

const minute = 60_000
const roomy = { strangers: 1_000, devices: 1_000 }

function fail(throttle: LoginThrottle, email: string, address: string, now: number): number {
  const tried = throttle.begin({ email: email, address: address }, now)
  if (tried.kind === 'wait') return tried.retryAfter
  tried.end('failed', now)
  return 0
}

describe('delays after failures', () => {
  it('are none for four, then double from a second up to fifteen minutes', () => {
    const delays = Array.from({ length: 17 }, (_, count) => delayAfter(count) / 1000)
    assert.deepEqual(delays, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
  })

  it('never exceed fifteen minutes', () => {
    fc.assert(
      fc.property(fc.nat(), (count) => {
        assert.ok(delayAfter(count) <= 15 * minute && delayAfter(count) <= delayAfter(count + 1))
      }),
    )
  })
})

describe('login throttle', () => {
  it('lets five tries fail and makes the sixth wait', () => {
    const throttle = createLoginThrottle(roomy)
    for (let failure = 0; failure < freeFailures; failure++)
      assert.equal(fail(throttle, 'a@x', `10.0.0.${failure}`, 0), 0)
    assert.equal(fail(throttle, 'a@x', '10.0.0.9', 0), 1)
    assert.equal(fail(throttle, 'a@x', '10.0.0.9', 999), 1)
    assert.equal(fail(throttle, 'a@x', '10.0.0.9', 1000), 0)
    assert.equal(fail(throttle, 'a@x', '10.0.0.10', 1001), 2)
    assert.equal(fail(throttle, 'b@x', '10.0.0.10', 1001), 0)
  })

  it('counts an address over all e-mails', () => {
    const throttle = createLoginThrottle(roomy)
    for (let failure = 0; failure < freeFailures; failure++)
      assert.equal(fail(throttle, `m${failure}@x`, '10.0.0.1', 0), 0)
    assert.equal(fail(throttle, 'new@x', '10.0.0.1', 0), 1)
    assert.equal(fail(throttle, 'new@x', '10.0.0.2', 0), 0)
  })

  it('gives a hundred at once no more tries than a hundred in a row', () => {
    const throttle = createLoginThrottle(roomy)
    const tries = Array.from({ length: 100 }, (_, at) =>
      throttle.begin({ email: 'a@x', address: `10.0.1.${at}` }, 0),
    )
    assert.equal(tries.filter(({ kind }) => kind === 'try').length, freeFailures)
    for (const tried of tries) if (tried.kind === 'try') tried.end('failed', 0)
    const second = Array.from({ length: 100 }, (_, at) =>
      throttle.begin({ email: 'a@x', address: `10.0.2.${at}` }, 1000),
    )
    assert.equal(second.filter(({ kind }) => kind === 'try').length, 1)
  })

  it('forgives an e-mail after a success, and an address does not profit', () => {
    const throttle = createLoginThrottle(roomy)
    for (let failure = 0; failure < 4; failure++) fail(throttle, 'a@x', '10.0.0.1', 0)
    const tried = throttle.begin({ email: 'a@x', address: '10.0.0.1' }, 0)
    assert.ok(tried.kind === 'try')
    tried.end('succeeded', 0)
    for (let failure = 0; failure < freeFailures; failure++)
      assert.equal(fail(throttle, 'a@x', `10.1.0.${failure}`, 0), 0)
    assert.equal(fail(throttle, 'b@x', '10.0.0.1', 0), 0)
    assert.equal(fail(throttle, 'c@x', '10.0.0.1', 0), 1)
  })

  it('counts nothing for a try that did not come to a verdict', () => {
    const throttle = createLoginThrottle(roomy)
    for (let made = 0; made < 50; made++) {
      const tried = throttle.begin({ email: 'a@x', address: '10.0.0.1' }, 0)
      assert.ok(tried.kind === 'try')
      tried.end('undecided', 0)
    }
  })

  it('never locks: whatever came before, a try is open within fifteen minutes', () => {
    const step = fc.record({ wait: fc.nat(20 * minute), address: fc.nat(3) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const throttle = createLoginThrottle(roomy)
        let now = 0
        for (const { wait, address } of steps) {
          now += wait
          fail(throttle, 'a@x', `10.0.0.${address}`, now)
        }
        assert.equal(
          throttle.begin({ email: 'a@x', address: '10.0.0.0' }, now + 15 * minute).kind,
          'try',
        )
      }),
    )
  })

  it('forgets after an hour without a failure', () => {
    const throttle = createLoginThrottle(roomy)
    for (let failure = 0; failure < 5; failure++) fail(throttle, 'a@x', '10.0.0.1', 0)
    for (let failure = 0; failure < 5; failure++)
      assert.equal(fail(throttle, 'a@x', '10.0.0.1', 60 * minute), 0)
  })

  it('holds a bounded number of keys, and those that fail keep their place', () => {
    const throttle = createLoginThrottle({ strangers: 50, devices: 50 })
    for (let failure = 0; failure < 5; failure++) fail(throttle, 'target@x', '10.0.0.1', 0)
    for (let other = 0; other < 20; other++) fail(throttle, `o${other}@x`, `10.2.0.${other}`, 0)
    assert.equal(fail(throttle, 'target@x', '10.9.0.1', 0), 1)
    for (let other = 0; other < 200; other++) fail(throttle, `p${other}@x`, `10.3.0.${other}`, 0)
    assert.equal(fail(throttle, 'target@x', '10.9.0.1', 0), 0, 'the longest quiet one went first')
  })
})

describe('the address of a throttle', () => {
  const same: readonly (readonly [string, string])[] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ]
  for (const [given, key] of same)
    it(`of ${given} is ${key}`, () => assert.equal(addressKey(given), key))
})
