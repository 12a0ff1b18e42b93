import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createLedger, type Ledger, refuse } from '@countersign/core/ledger'
import {
  createManualClock,
  createMemoryStore,
  type MemoryStore,
  type StoreFaults,
  seededRandom,
} from '@countersign/core/testing'
import fc from 'fast-check'
import type { Collection } from '../../../base/ports/store.ts'
import { failedTries } from '../../../organizations/access/records.ts'
import {
  freeFailures,
  type LoginKeys,
  type ThrottleCapacity,
} from '../../../organizations/logins/login-throttle.ts'
import {
  createStoredThrottle,
  throttleCapacities,
} from '../../../organizations/logins/stored-throttle.ts'
import { collections, logs } from '../../../rooms.ts'
import { code, createFixture, type Fixture, password, start, system, value } from './fixture.ts'

const second = 1_000
const ada = 'ada@acme.example'

/** A throttle on a store of its own, whose commits are noted by key and time. */
function open(capacity = { strangers: 100, devices: 100 }) {
  let faults: StoreFaults = () => {}
  const clock = createManualClock(start, {
    settle: () => new Promise((done) => setImmediate(done)),
  })
  const all = collections as unknown as readonly Collection[]
  const store: MemoryStore = createMemoryStore({
    collections: all,
    logs,
    faults: (point, operation) => faults(point, operation),
  })
  const writes: { readonly key: string; readonly at: number }[] = []
  const sizes: number[] = []
  let isBusy = false
  const whole = createLedger({ store, clock, random: seededRandom(1) })
  const ledger: Ledger = {
    ...whole,
    execute: async (tenant, plan) =>
      isBusy ? refuse('busy', 'the same rows kept changing') : whole.execute(tenant, plan),
  }
  const rows = () => store.rows(failedTries).map(({ row }) => row)
  ledger.subscribe(({ puts = [], removes = [] }) => {
    const at = clock.monotonic()
    for (const put of puts) writes.push({ key: (put.row as { readonly key: string }).key, at })
    for (const { key } of removes) writes.push({ key: String(key[1]), at })
    sizes.push(rows().length)
  })
  const started = (given = capacity) => createStoredThrottle({ ledger, clock }, 'logins', given)
  let throttle = started()
  return {
    clock,
    rows,
    writes,
    sizes,
    break: (given: StoreFaults) => {
      faults = given
    },
    /** Whether commits find that others keep writing the same rows. */
    contend: (given: boolean) => {
      isBusy = given
    },
    /** Another process on the same store; what the one before had not written is gone with it. */
    restart: (given?: ThrottleCapacity) => {
      throttle = started(given)
    },
    drain: () => throttle.drain(second),
    wait: async (keys: LoginKeys) => (await throttle.opened()).wait(keys, clock.monotonic()),
    tryOnce: async (keys: LoginKeys, outcome: 'failed' | 'succeeded' = 'failed') => {
      const tried = (await throttle.opened()).begin(keys, clock.monotonic())
      if (tried.kind === 'try') tried.end(outcome, clock.monotonic())
      return tried.kind === 'try'
    },
  }
}

const keyOf = (name: string) => `device ${createHash('sha256').update(name).digest('hex')}`
const device = (name: string): LoginKeys => ({ device: name })
const stranger = (email: string, address: string): LoginKeys => ({ email, address })

describe('failed tries after a restart', () => {
  const refused = 'too_many_attempts'
  const caller = { address: '192.0.2.1' }
  type Access = Fixture['access']
  /** What fails, and what then waits. */
  const kinds: Readonly<
    Record<
      string,
      readonly [
        fail: (access: Access, at: number) => Promise<unknown>,
        next: (access: Access) => Promise<string>,
      ]
    >
  > = {
    'of one e-mail': [
      (access, at) => access.login({ email: ada, password: 'wrong', address: `192.0.2.${at}` }),
      async (access) => code(await access.login({ email: ada, password, address: '192.0.2.9' })),
    ],
    'of one address': [
      (access, at) => access.login({ ...caller, email: `a${at}@acme.example`, password: 'wrong' }),
      async (access) => code(await access.login({ ...caller, email: ada, password })),
    ],
    'that could not be read': [
      (access) => access.rejectLogin(caller),
      async (access) => code(await access.admitLogin(caller)),
    ],
    'of an invitation': [
      (access) => access.acceptInvitation({ ...caller, token: 'x', name: 'Eve', password }),
      async (access) => code(await access.login({ ...caller, email: ada, password })),
    ],
    'of a reset': [
      (access) => access.acceptPasswordReset({ ...caller, token: 'x', password }),
      async (access) => code(await access.acceptPasswordReset({ ...caller, token: 'x', password })),
    ],
  }
  for (const [name, [fail, next]] of Object.entries(kinds))
    it(`${name} still count`, async () => {
      const { access, clock, restarted } = await createFixture()
      for (let at = 0; at < freeFailures + 3; at++) {
        await clock.advance(8 * second)
        await fail(access, at)
      }
      await clock.advance(second)
      assert.equal(await next(restarted()), refused)
    })

  it('of a known device and of a change of password still count, each for itself', async () => {
    const { access, clock, restarted, login, actorOf } = await createFixture()
    const token = value(await login(ada)).device.token
    const actor = await actorOf(ada)
    for (let at = 0; at < freeFailures; at++) {
      await access.login({ ...caller, email: ada, password: 'wrong', device: token })
      await access.changePassword(actor, { ...caller, current: 'wrong', next: `${password} 2` })
    }
    await clock.advance(second)
    // The delay of five failures is a second.
    clock.jump(-second)
    const next = restarted()
    const known = await next.login({ ...caller, email: ada, password, device: token })
    assert.equal(code(known), refused)
    const changed = { ...caller, current: password, next: `${password} 2` }
    assert.equal(code(await next.changePassword(actor, changed)), refused)
    assert.equal(code(await next.login({ ...caller, email: ada, password })), 'ok')
  })

  it('are forgiven as before', async () => {
    const { access, clock, restarted, store } = await createFixture()
    const at = { email: ada, address: '192.0.2.1' }
    for (let failure = 0; failure < 4; failure++) await access.login({ ...at, password: 'wrong' })
    await clock.advance(second)
    assert.equal(store.rows(failedTries).length, 2)
    const next = restarted()
    assert.equal(code(await next.login({ ...at, password })), 'ok')
    await clock.advance(second)
    const left = store.rows(failedTries).map(({ row }) => row.key.split(' ')[0])
    assert.deepEqual(left, ['address'])
  })

  it('lie in the store without an e-mail or an address in clear', async () => {
    const { access, clock, store } = await createFixture()
    await access.login({ email: ada, password: 'wrong', address: '192.0.2.1' })
    await clock.advance(second)
    const rows = JSON.stringify(store.rows(failedTries))
    assert.ok(!rows.includes('acme') && !rows.includes('192.0.2'), rows)
    assert.equal(store.rows(failedTries).length, 2)
  })

  it('are written when the service is drained', async () => {
    const { access, tries, restarted } = await createFixture()
    for (let failure = 0; failure < freeFailures; failure++)
      await access.login({ email: ada, password: 'wrong', address: '192.0.2.1' })
    await tries.logins.drain(second)
    const again = await restarted().login({ email: ada, password, address: '192.0.2.1' })
    assert.equal(code(again), refused)
  })

  it('count whatever the wall clock did, and never for longer than fifteen minutes', async () => {
    const hour = 3_600_000
    const jumps = fc.oneof(fc.integer({ min: -400 * hour, max: 0 }), fc.nat(hour / 4))
    await fc.assert(
      fc.asyncProperty(jumps, async (jump) => {
        const { clock, tryOnce, restart, wait } = open()
        for (let failure = 0; failure < 16; failure++) {
          await tryOnce(device('d'))
          await clock.advance(900 * second)
        }
        await tryOnce(device('d'))
        await clock.advance(second)
        clock.jump(jump)
        restart()
        const left = await wait(device('d'))
        assert.ok(left <= 900)
        assert.equal(left, Math.max(0, Math.ceil(Math.min(900, 899 - jump / second))))
      }),
    )
  })
})

describe('what failed tries write', () => {
  const steps = fc.array(
    fc.record({
      keys: fc.oneof(
        fc.nat(2).map((n) => device(`d${n}`)),
        fc.tuple(fc.nat(3), fc.nat(3)).map(([n, m]) => stranger(`e${n}`, `a${m}`)),
      ),
      outcome: fc.constantFrom('failed', 'failed', 'failed', 'succeeded'),
      wait: fc.oneof(fc.nat(20), fc.nat(3_000)),
    }),
    { maxLength: 60, size: 'max' },
  )

  it('is one write a second and key, however many they are', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (run) => {
        const { clock, tryOnce, writes } = open()
        for (const { keys, outcome, wait } of run) {
          await tryOnce(keys, outcome)
          await clock.advance(wait)
        }
        await clock.advance(10 * second)
        const last = new Map<string, number>()
        for (const { key, at } of writes) {
          assert.ok(at - (last.get(key) ?? Number.NEGATIVE_INFINITY) >= second, key)
          last.set(key, at)
        }
      }),
    )
  })

  it('is one write for all failures of one second, and none for tries that were right', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(40), { minLength: 1, maxLength: 25 }), async (waits) => {
        const { clock, tryOnce, writes } = open()
        await tryOnce(device('right'), 'succeeded')
        for (const wait of waits) {
          await tryOnce(device('d'))
          await clock.advance(Math.min(wait, 999 / waits.length))
        }
        await clock.advance(second)
        assert.equal(writes.length, 1)
        await clock.advance(60 * second)
        assert.equal(writes.length, 1)
      }),
    )
  })

  it('is all but the failures of the last second before a crash', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(3_000), async (run, last) => {
        const { clock, tryOnce, restart, wait } = open()
        const settled = open()
        for (const [at, { keys, outcome, wait: pause }] of run.entries()) {
          await tryOnce(keys, outcome)
          await settled.tryOnce(keys, outcome)
          const isLast = at === run.length - 1
          await clock.advance(isLast ? second + last : pause)
          await settled.clock.advance(isLast ? second + last : pause)
        }
        restart()
        for (const { keys } of run) assert.equal(await wait(keys), await settled.wait(keys))
      }),
    )
  })

  it('is written again where the store failed', async () => {
    const { clock, tryOnce, rows, ...world } = open()
    world.break((point) => {
      if (point === 'before_commit') throw new Error('disk full')
    })
    for (let failure = 0; failure < freeFailures; failure++) await tryOnce(device('d'))
    await clock.advance(5 * second)
    assert.equal(rows().length, 0)
    world.break(() => {})
    await clock.advance(second)
    assert.deepEqual(
      rows().map(({ count }) => count),
      [freeFailures],
    )
    assert.equal(clock.waiting(), 0)
  })

  it('is written again where others kept writing the same rows', async () => {
    const { clock, tryOnce, rows, contend } = open()
    contend(true)
    await tryOnce(device('d'))
    await clock.advance(second)
    assert.equal(rows().length, 0)
    contend(false)
    await clock.advance(second)
    assert.equal(rows().length, 1)
  })

  it('holds nobody up once the service was drained, though the store fails', async () => {
    const { clock, tryOnce, drain, ...world } = open()
    await tryOnce(device('d'))
    world.break(() => {
      throw new Error('closed')
    })
    const drained = drain()
    await clock.advance(5 * second)
    await drained
    assert.equal(clock.waiting(), 0)
  })
})

describe('keys of failed tries in the store', () => {
  it('are 100,000 at most', () => {
    const all = Object.values(throttleCapacities).flatMap(({ strangers, devices }) => [
      strangers,
      devices,
    ])
    assert.equal(
      all.reduce((sum, each) => sum + each, 0),
      100_000,
    )
  })

  it('are never more than the throttle may remember; those that failed longest ago go first', async () => {
    const many = fc.array(
      fc.record({
        name: fc.nat(12),
        wait: fc.integer({ min: 1, max: 1_500 }),
        restarts: fc.nat(9).map((n) => n === 0),
      }),
      { maxLength: 60, size: 'max' },
    )
    await fc.assert(
      fc.asyncProperty(many, async (run) => {
        const { clock, tryOnce, restart, rows, sizes } = open({ strangers: 0, devices: 4 })
        const order: string[] = []
        for (const { name, wait, restarts } of run) {
          const tried = await tryOnce(device(`d${name}`))
          if (tried) order.push(`d${name}`)
          await clock.advance(wait)
          if (!restarts) continue
          await clock.advance(second)
          restart()
        }
        await clock.advance(second)
        assert.ok(sizes.every((size) => size <= 4))
        const newest = [...new Set(order.reverse())].slice(0, 4)
        assert.deepEqual(
          rows()
            .map(({ key }) => key)
            .toSorted(),
          newest.map(keyOf).toSorted(),
        )
      }),
    )
  })

  it('go in or before the commit that adds others', async () => {
    const most = 700
    const { clock, tryOnce, rows, sizes } = open({ strangers: 0, devices: most })
    for (const round of ['first', 'second']) {
      for (let n = 0; n < most; n++) await tryOnce(device(`${round} ${n}`))
      await clock.advance(second)
      assert.equal(rows().length, most)
    }
    assert.ok(sizes.length > 2 && Math.max(...sizes) === most)
  })

  it('shrink to what may be remembered where more were stored', async () => {
    const roomy = open({ strangers: 0, devices: 10 })
    for (let n = 0; n < 10; n++) {
      await roomy.tryOnce(device(`d${n}`))
      await roomy.clock.advance(2 * second)
    }
    assert.equal(roomy.rows().length, 10)
    roomy.restart({ strangers: 0, devices: 3 })
    await roomy.wait(device('d0'))
    await roomy.clock.advance(second)
    const left = roomy.rows().map(({ key }) => key)
    assert.deepEqual(left.toSorted(), ['d7', 'd8', 'd9'].map(keyOf).toSorted())
  })
})

describe('a right password that opens no session', () => {
  it('forgives no failures', async () => {
    const { service, access, clock, tenantId } = await createFixture()
    const at = (n: number) => ({ email: ada, address: `192.0.2.${n}` })
    for (let n = 0; n < 4; n++) await access.login({ ...at(n), password: 'wrong' })
    value(await service.tenants.suspend(system, { tenantId, reason: 'x' }))
    assert.equal(code(await access.login({ ...at(5), password })), 'account_suspended')
    assert.equal(code(await access.login({ ...at(6), password: 'wrong' })), 'invalid_credentials')
    assert.equal(code(await access.login({ ...at(7), password })), 'too_many_attempts')
    await clock.advance(second)
    value(await service.tenants.resume(system, { tenantId, reason: 'x' }))
    assert.equal(code(await access.login({ ...at(8), password })), 'ok')
  })
})
