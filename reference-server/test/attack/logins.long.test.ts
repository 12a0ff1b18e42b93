import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { pause } from '../../demo/processes.ts'
import { bounds, openVictim, type Victim } from './harness.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env

const flooders = 80
const realLogins = 10
/** Each of two passwords that are checked at once takes 128 MiB (scrypt, N = 2^17, r = 8). */
const passwordBytes = 2 * 128 * 1024 * 1024

describe('logins while others flood and guess', () => {
  let victim: Victim
  let device: string

  before(async () => {
    victim = await openVictim({
      environment: {
        COUNTERSIGN_TRUSTED_PROXIES: '1',
        COUNTERSIGN_ADDRESS_RATE_PER_MINUTE: '100000',
      },
    })
    const { email, password } = victim.stage.organization.admin
    const first = await login({ email, password }, '192.0.2.1')
    assert.equal(first.status, 200)
    device = first.cookies.find((each) => each.startsWith('service_customer_device=')) ?? ''
    assert.notEqual(device, '')
  })
  after(() => victim.end())

  async function login(
    body: object,
    address: string,
    { cookie, signal }: { readonly cookie?: string; readonly signal?: AbortSignal } = {},
  ) {
    const answer = await fetch(`${victim.server.portal}/v1/auth/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        ...(cookie && { cookie }),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
    await answer.arrayBuffer()
    const cookies = answer.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
    return { status: answer.status, cookies }
  }

  /** Runs an attack for as long as a task takes. */
  async function during(
    attack: (round: number, signal: AbortSignal) => Promise<unknown>,
    task: () => Promise<void>,
  ) {
    const over = new AbortController()
    setMaxListeners(0, over.signal)
    const running = Array.from({ length: flooders }, async (_, from) => {
      for (let round = from; !over.signal.aborted; round += flooders) {
        await attack(round, over.signal).catch((error: Error) => {
          if (!over.signal.aborted) throw error
        })
        await pause(100)
      }
    })
    try {
      await pause(2_000)
      await task()
    } finally {
      over.abort()
      await Promise.all(running)
    }
  }

  const within = { ...bounds, rssGrowth: bounds.rssGrowth + passwordBytes }
  const addressOf = (round: number) =>
    `10.${(round >> 16) % 256}.${(round >> 8) % 256}.${round % 256}`

  // Before any guess at the admin's e-mail: this one comes from addresses without a device cookie.
  it('callers who left keep no stranger waiting', async () => {
    const { email, password } = victim.stage.organization.admin
    const timed = async (address: string) => {
      const from = performance.now()
      assert.equal((await login({ email, password }, address)).status, 200)
      return Math.round(performance.now() - from)
    }
    await victim.withstands(async () => {
      const alone = await timed('192.0.2.3')
      const over = new AbortController()
      setMaxListeners(0, over.signal)
      const { signal } = over
      const left = Array.from({ length: flooders }, (_, at) =>
        login({ email: `left${at}@example.com`, password: 'guess' }, addressOf(at), { signal }),
      )
      await pause(1_000)
      over.abort()
      await Promise.allSettled(left)
      const waited = await timed('192.0.2.4')
      const said = `a stranger waited ${waited} ms, ${alone} ms alone`
      process.stdout.write(`# ${said}\n`)
      // Behind a full queue of 64, two at once, it would be 33 times as long.
      assert.ok(waited < 10 * alone, said)
    }, within)
  })

  it('one who guesses at an e-mail keeps its owner out of no device that has logged in before', async () => {
    const { email, password } = victim.stage.organization.admin
    await victim.withstands(async () => {
      const guess = (_: number, signal: AbortSignal) =>
        login({ email, password: 'guess' }, '198.51.100.1', { signal })
      await during(guess, async () => {
        assert.equal((await login({ email, password }, '192.0.2.2')).status, 429)
        for (let made = 0; made < realLogins; made++)
          assert.equal(
            (await login({ email, password }, '192.0.2.1', { cookie: device })).status,
            200,
          )
      })
    }, within)
  })

  const floods = [
    ['ever new addresses', addressOf],
    [`${flooders} networks`, (round: number) => `${11 + (round % flooders)}.1.1.1`],
  ] as const
  // Both in a proof, and else one by the seed.
  for (const [name, floodedFrom] of floods.filter(
    (_, at) => whole || (at + Number(seed)) % 2 === 0,
  ))
    it(`${flooders} flooders from ${name} keep at most half of new devices out for five seconds`, async () => {
      const { email, password } = victim.stage.organization.reviewer
      const alone = performance.now()
      assert.equal((await login({ email, password }, '192.0.3.1')).status, 200)
      // Twelve hashes' time is 5 s where one takes 400 ms.
      const limit = Math.max(5_000, 12 * (performance.now() - alone))
      await victim.withstands(async () => {
        const flood = (round: number, signal: AbortSignal) =>
          login({ email: `none${round}@example.com`, password: 'guess' }, floodedFrom(round), {
            signal,
          })
        await during(flood, async () => {
          const told: string[] = []
          let inTime = 0
          for (let made = 0; made < realLogins; made++) {
            const from = performance.now()
            const { status } = await login({ email, password }, `192.0.2.${made + 10}`)
            const ms = Math.round(performance.now() - from)
            told.push(`${status} after ${ms} ms`)
            if (status === 200 && ms < limit) inTime++
          }
          process.stdout.write(
            `# ${inTime} of ${realLogins} new devices got in within ${Math.round(limit)} ms\n`,
          )
          assert.ok(inTime >= realLogins / 2, told.join(', '))
        })
      }, within)
    })

  it(`${flooders} flooders from ever new addresses keep no device out that has logged in before`, async () => {
    const { email, password } = victim.stage.organization.admin
    let busy = 0
    await victim.withstands(async () => {
      const flood = async (round: number, signal: AbortSignal) => {
        const stranger = { email: `nobody${round}@example.com`, password: 'guess' }
        if ((await login(stranger, addressOf(round), { signal })).status === 503) busy++
      }
      await during(flood, async () => {
        for (let made = 0; made < realLogins; made++)
          assert.equal(
            (await login({ email, password }, '192.0.2.1', { cookie: device })).status,
            200,
          )
      })
    }, within)
    assert.ok(busy > 0, 'the queue of strangers was never full')
  })
})
