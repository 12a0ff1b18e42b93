import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressBlocks } from '../../../organizations/access/address-key.ts'
import { createLoginAdmission, patienceMs } from '../../../organizations/logins/login-admission.ts'
import { createManualClock, plainPasswords } from '../../../testing/index.ts'
import { code, createFixture, password, start } from './fixture.ts'

const hashMs = 400

/** A password hash that takes its time, of which two run at once as on two cores. */
function slowly(clock: ReturnType<typeof createManualClock>) {
  const plain = plainPasswords()
  let most = 0
  let running = 0
  return {
    most: () => most,
    passwords: {
      hash: plain.hash,
      verify: async (...given: Parameters<typeof plain.verify>) => {
        running++
        most = Math.max(most, running)
        await new Promise<void>((resolve) => void clock.after(hashMs, resolve))
        running--
        return plain.verify(...given)
      },
    },
  }
}

const floods: readonly (readonly [string, (round: number, flooder: number) => string])[] = [
  [
    'ever new addresses of a network',
    (round, flooder) => `10.7.${(round * 80 + flooder) >> 8}.${(round * 80 + flooder) & 255}`,
  ],
  ['80 addresses of 80 networks', (_, flooder) => `${20 + flooder}.5.5.5`],
  [
    'ever new networks of IPv6',
    (round, flooder) => `2001:db8:${(round * 80 + flooder).toString(16)}::1`,
  ],
]

describe('logins of new devices', () => {
  for (const [name, addressOf] of floods)
    it(`get in within ${patienceMs} ms beside a flood from ${name}`, async () => {
      const clock = createManualClock(start)
      const { passwords, most } = slowly(clock)
      const { access, reviewer } = await createFixture({ passwords, clock })
      let isOver = false
      let guesses = 0
      const flooder = async (at: number) => {
        for (let round = 0; !isOver; round++) {
          const email = `nobody${round}-${at}@example.com`
          const answer = await access.login({ email, password: 'x', address: addressOf(round, at) })
          if (code(answer) === 'invalid_credentials') guesses++
          await new Promise<void>((resolve) => void clock.after(100, resolve))
        }
      }
      const flooding = Array.from({ length: 80 }, (_, at) => flooder(at))
      const advance = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += 100) await clock.advance(100)
      }
      await advance(8_000)
      let inTime = 0
      for (let made = 0; made < 10; made++) {
        const address = `192.0.2.${made}`
        const login = access.login({ email: reviewer.email, password, address }).then(code)
        const asked = clock.monotonic()
        let told: string | null = null
        void login.then((answer) => {
          told = answer
        })
        while (told === null) await advance(100)
        if (told === 'ok' && clock.monotonic() - asked <= patienceMs) inTime++
      }
      isOver = true
      await advance(patienceMs + 1_000)
      await Promise.all(flooding)
      assert.equal(inTime, 10)
      assert.equal(most(), 2)
      assert.ok(guesses <= ((clock.monotonic() + hashMs) / hashMs) * 2, `${guesses} guesses`)
    })
})

describe('the admission of strangers', () => {
  const origin = (address: string) => addressBlocks(address)

  it('lets two in at once, then who caused least work, then the newest', async () => {
    const clock = createManualClock(start)
    const admission = createLoginAdmission(clock)
    const order: string[] = []
    const enter = async (address: string) => {
      const turn = await admission.enter(origin(address))
      order.push(address)
      return turn
    }
    const [one, two] = [await enter('10.0.0.1'), await enter('10.0.0.2')]
    const late = ['10.0.0.3', '10.0.9.1', '10.9.0.1', '11.0.0.1', '12.0.0.1'].map(enter)
    one?.leave('failed')
    two?.leave('failed')
    for (const each of [4, 3, 2, 1, 0]) (await late[each])?.leave('succeeded')
    assert.deepEqual(order.slice(2), ['12.0.0.1', '11.0.0.1', '10.9.0.1', '10.0.9.1', '10.0.0.3'])
  })

  it('refuses who waited for five seconds, who left, and of too many who caused most', async () => {
    const clock = createManualClock(start)
    const admission = createLoginAdmission(clock)
    const first = await admission.enter(origin('10.0.0.1'))
    const second = await admission.enter(origin('10.0.0.1'))
    const flood = admission.enter(origin('10.0.0.1'))
    const caller = { aborted: false }
    const left = admission.enter(origin('9.9.9.9'), caller)
    const waiting = Array.from({ length: 254 }, (_, at) => admission.enter(origin(`${at}.1.1.1`)))
    const newcomer = admission.enter(origin('192.0.2.1'))
    assert.equal(await flood, null)
    caller.aborted = true
    first?.leave('undecided')
    assert.equal(await left, null)
    assert.notEqual(await newcomer, null)
    await clock.advance(patienceMs)
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([null]))
    second?.leave('failed')
    assert.notEqual(await admission.enter(origin('1.1.1.1')), null)
  })

  it('forgets work by half in ten minutes', async () => {
    const clock = createManualClock(start)
    const admission = createLoginAdmission(clock)
    for (let n = 0; n < 4; n++) (await admission.enter(origin('10.0.0.1')))?.leave('failed')
    await clock.advance(30 * 60_000)
    for (let n = 0; n < 2; n++) (await admission.enter(origin('11.0.0.1')))?.leave('failed')
    const running = [await admission.enter([]), await admission.enter([])]
    const order: number[] = []
    for (const first of [10, 11])
      void admission.enter(origin(`${first}.0.0.1`)).then((turn) => {
        order.push(first)
        turn?.leave('failed')
      })
    running[0]?.leave('undecided')
    await clock.advance(1)
    assert.deepEqual(order, [10, 11])
  })
})

describe('the blocks of an address', () => {
  for (const [given, blocks] of [
    ['192.0.2.1', ['192.0.2.1', 'block 192.0.2', 'block 192.0']],
    ['::ffff:192.0.2.1', ['192.0.2.1', 'block 192.0.2', 'block 192.0']],
    ['2001:db8:1:2::5', ['2001:db8:1:2::/64', 'block 2001:db8:1', 'block 2001:db8']],
  ] as const)
    it(`of ${given} are its own, and two wider`, () =>
      assert.deepEqual(addressBlocks(given), blocks))
})
