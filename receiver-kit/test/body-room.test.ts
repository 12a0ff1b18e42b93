import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { memoryInbox } from '@countersign/receiver-kit'
import { lambdaHandler } from '@countersign/receiver-kit/lambda'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import fc from 'fast-check'
import { type BodyRoom, createBodyRoom } from '../receiving/body-room.ts'
import { hosts } from './shell-hosts.ts'
import { makeReceiver, post, signer } from './shell-support.ts'
import { createBench } from './support.ts'

const most = 1_000

type Step =
  | { readonly act: 'hold'; readonly owner: number; readonly bytes: number; readonly kept: boolean }
  | { readonly act: 'release'; readonly owner: number }

const owner = fc.nat(9)
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant('hold' as const),
        owner,
        bytes: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: most })),
        kept: fc.boolean(),
      }),
    },
    fc.record({ act: fc.constant('release' as const), owner }),
  ),
  { maxLength: 60 },
)

/** The promise that a room breaks in one history; null when it keeps them all. */
function fault(create: (most: number) => BodyRoom, history: readonly Step[]): string | null {
  const room = create(most)
  const owners = Array.from({ length: 10 }, (_, name) => ({ name }))
  const held = new Map<number, { readonly bytes: number; readonly kept: boolean }>()
  const total = () => [...held.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  for (const step of history) {
    const asking = owners[step.owner] ?? {}
    if (step.act === 'release') {
      room.release(asking)
      held.delete(step.owner)
      continue
    }
    const { bytes, kept } = step
    const evicted: number[] = []
    evictions = evicted
    const fits = room.hold(asking, bytes, kept ? undefined : () => evictions.push(step.owner))
    const oldest = () => [...held].find(([, each]) => !each.kept)?.[0]
    for (const name of evicted) {
      const gone = held.get(name)
      if (!gone || gone.kept) return 'evicted what is stored'
      if (name === step.owner) return 'evicted the one that asks'
      if (name !== oldest()) return 'evicted another than the oldest'
      if (total() - (held.get(step.owner)?.bytes ?? 0) + bytes <= most) return 'evicted needlessly'
      held.delete(name)
    }
    const before = held.get(step.owner)?.bytes ?? 0
    const fit = total() - before + bytes <= most
    if (fits !== fit) return fits ? 'holds too much' : 'refused what fits'
    if (fits) held.set(step.owner, { bytes, kept })
    else if (![undefined, step.owner].includes(oldest())) return 'refused before an older one'
  }
  return null
}

let evictions: number[] = []

const broken: Readonly<Record<string, (most: number) => BodyRoom>> = {
  'has no bound': () => createBodyRoom(Number.POSITIVE_INFINITY),
  'evicts nothing': (bound) => {
    const room = createBodyRoom(bound)
    return { ...room, hold: (owner, bytes) => room.hold(owner, bytes) }
  },
  'gives nothing back': (bound) => ({ ...createBodyRoom(bound), release: () => {} }),
  'takes growth for a beginning': (bound) => {
    const room = createBodyRoom(bound)
    return {
      ...room,
      hold(owner, bytes, evict) {
        room.release(owner)
        return room.hold(owner, bytes, evict)
      },
    }
  },
  'evicts what is stored': (bound) => {
    const room = createBodyRoom(bound)
    const any = (each: object) => () => evictions.push((each as { name: number }).name)
    return { ...room, hold: (owner, bytes) => room.hold(owner, bytes, any(owner)) }
  },
}

describe('the room of bodies', () => {
  it('holds no more than its bound, and evicts the unfinished body that began first', () => {
    fc.assert(
      fc.property(steps, (history) => assert.equal(fault(createBodyRoom, history), null)),
      { numRuns: 500 },
    )
  })

  for (const [name, create] of Object.entries(broken))
    it(`is told apart from one that ${name}`, () => {
      const found = fc.check(
        fc.property(steps, (history) => fault(create, history) === null),
        { numRuns: 2_000 },
      )
      assert.ok(found.failed)
    })
})

/** A connection that announces a body of this many bytes, and sends all but the last. */
function forge(url: string, bytes: number): { readonly socket: Socket; heard: Promise<string> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const lines = Object.entries(signer.sign(sampleReviewEvent()).headers)
    .filter(([name]) => name !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`)
  const head = ['POST /hook HTTP/1.1', 'host: a', `content-length: ${bytes}`, ...lines, '', '']
  socket.on('error', () => undefined)
  socket.write(head.join('\r\n') + ' '.repeat(bytes - 1))
  const heard = new Promise<string>((resolve) => {
    let heard = ''
    socket.setEncoding('latin1').on('data', (text) => {
      heard += text
      if (heard.includes('"code"')) socket.destroy()
    })
    socket.on('close', () => resolve(heard))
  })
  return { socket, heard }
}

describe('forged bodies that fill the room', () => {
  for (const [name, bind] of Object.entries(hosts).filter(([each]) => !each.includes('behind')))
    it(`give way to genuine ones behind ${name}`, async () => {
      const { receiver } = makeReceiver({ maxBodyBytes: 65_536, maxHeldBytes: 131_072 })
      const url = await bind(receiver)
      // Each is held in 64 KiB, so that two of the six fit.
      const forged = Array.from({ length: 6 }, () => forge(url, 60_000))
      const refused = await Promise.all(
        atLeast(
          4,
          forged.map(({ heard }) => heard),
        ),
      )
      for (const heard of refused) {
        assert.match(heard, /^HTTP\/1\.1 503 /)
        assert.match(heard, /\r\nretry-after: 1\r\n/i)
        assert.match(heard, /"code":"busy"/)
      }
      for (let at = 0; at < 5; at++) {
        const genuine = signer.sign(sampleReviewEvent({ id: `evt_${at}` }))
        assert.equal((await post(url, genuine)).status, 204)
      }
      for (const { socket } of forged) socket.destroy()
    })

  for (const [name, bind] of Object.entries(hosts).filter(([each]) => !each.includes('behind')))
    it(`of many small parts give way to a large genuine one behind ${name}`, async () => {
      const { receiver } = makeReceiver({ maxBodyBytes: 65_536, maxHeldBytes: 131_072 })
      const url = await bind(receiver)
      // Each is held in 16 KiB, so that eight fill the room.
      const forged = Array.from({ length: 10 }, () => forge(url, 16_000))
      await Promise.all(
        atLeast(
          2,
          forged.map(({ heard }) => heard),
        ),
      )
      for (let at = 0; at < 3; at++) {
        const event = { ...sampleReviewEvent({ id: `evt_${at}` }), text: 'x'.repeat(60_000) }
        assert.equal((await post(url, signer.sign(event))).status, 204)
      }
      for (const { socket } of forged) socket.destroy()
    })
})

/** The first so many that resolve, each as a promise of its own. */
function atLeast<T>(count: number, all: readonly Promise<T>[]): Promise<T>[] {
  const waiting: ((value: T) => void)[] = []
  const first = Array.from({ length: count }, () => new Promise<T>((take) => waiting.push(take)))
  for (const each of all) void each.then((value) => waiting.shift()?.(value))
  return first
}

describe('a body that is stored', () => {
  const bound = { maxBodyBytes: 1_000, maxHeldBytes: 1_000 }
  function hanging() {
    const ends: (() => void)[] = []
    const inbox = memoryInbox()
    const store: typeof inbox.store = async (entry) => {
      await new Promise<void>((resolve) => ends.push(resolve))
      return inbox.store(entry)
    }
    return { ends, bench: createBench({ ...bound, inbox: { ...inbox, store } }) }
  }
  const text = 'x'.repeat(300)
  const event = (id: string) => ({ ...sampleReviewEvent({ id }), text })

  it('is counted until its store ends, however late', async () => {
    const { ends, bench } = hanging()
    const { clock, send, signer: own, receiver } = bench
    const first = send(own.sign(event('evt_1')))
    const busy = { status: 503, body: { code: 'busy' } }
    assert.deepEqual(await send(own.sign(event('evt_2'))), busy)
    await clock.advance(8_000)
    assert.deepEqual((await first).body, { code: 'not_stored' })
    const { headers, body } = own.sign(event('evt_2'))
    const fromLambda = await lambdaHandler(receiver)({
      httpMethod: 'POST',
      headers,
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true,
    })
    assert.equal(fromLambda.statusCode, 503)
    assert.equal(fromLambda.headers['retry-after'], '1')
    ends[0]?.()
    await clock.advance(0)
    const fits = send(own.sign(event('evt_2')))
    await clock.advance(0)
    ends[1]?.()
    assert.equal((await fits).status, 204)
  })

  it('gives its room back when it is refused', async () => {
    const { send, signer: own } = createBench(bound)
    for (let at = 0; at < 10; at++) {
      const { headers } = own.sign(event('evt_1'))
      const forged = { headers, body: own.sign(event('evt_2')).body, id: 'evt_1' }
      assert.equal((await send(forged)).status, 401)
    }
    assert.equal((await send(own.sign(event('evt_1')))).status, 204)
  })
})
