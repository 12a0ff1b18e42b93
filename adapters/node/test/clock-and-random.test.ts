import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodeClock, nodeRandom } from '@countersign/node'
import { createGate } from '../gate.ts'

describe('the clock', () => {
  it('tells wall time and time that never steps', () => {
    const clock = nodeClock()
    const [from, now, until] = [Date.now(), clock.now(), Date.now()]
    assert.ok(from <= now && now <= until, `${from}, ${now}, ${until}`)
    const before = clock.monotonic()
    assert.ok(clock.monotonic() >= before)
  })

  it('calls once, and not when it was cancelled', async () => {
    const clock = nodeClock()
    let calls = 0
    clock.after(0, () => calls++)()
    await new Promise<void>((resolve) => clock.after(1, resolve))
    assert.equal(calls, 0)
  })

  it('waits longer than Node can in one timer', (t) => {
    const timers: { readonly call: () => void; readonly ms: number }[] = []
    t.mock.method(globalThis, 'setTimeout', (call: () => void, ms: number) => {
      timers.push({ call, ms })
      return 0
    })
    const month = 31 * 24 * 3_600_000
    let calls = 0
    nodeClock().after(month, () => calls++)
    for (const { call } of timers) call()
    assert.deepEqual(
      timers.map(({ ms }) => ms),
      [2 ** 31 - 1, month - (2 ** 31 - 1)],
    )
    assert.equal(calls, 1)
  })
})

describe('randomness', () => {
  it('is of the length asked for, never the same, and the caller’s own', () => {
    const random = nodeRandom()
    const seen = new Set<string>()
    for (let draw = 0; draw < 5000; draw++) {
      const bytes = random.bytes(10)
      assert.ok(!Buffer.isBuffer(bytes))
      seen.add(bytes.join())
    }
    assert.equal(seen.size, 5000)
    for (const length of [0, 1, 8191, 8192, 8193, 100_000])
      assert.equal(random.bytes(length).length, length)
    const first = random.bytes(32)
    const copy = Uint8Array.from(first)
    random.bytes(8192)
    assert.deepEqual(first, copy)
  })

  it('is spread over all values', () => {
    const counts = new Array<number>(256).fill(0)
    const random = nodeRandom()
    for (let draw = 0; draw < 25_600; draw++)
      for (const byte of random.bytes(10)) counts[byte] = (counts[byte] ?? 0) + 1
    // Mean 1000; eight standard deviations.
    for (const count of counts) assert.ok(Math.abs(count - 1000) < 253, String(count))
  })
})

describe('a gate', () => {
  it('passes the place of a task that failed', async () => {
    const gate = createGate({ queues: ['a'], atOnce: 1, waiting: 5 })
    const order: string[] = []
    const failing = gate('a', async () => {
      order.push('first')
      throw new Error('failed')
    })
    const second = gate('a', async () => order.push('second'))
    const third = gate('a', async () => order.push('third'))
    await assert.rejects(failing, /failed/)
    await Promise.all([second, third])
    assert.deepEqual(order, ['first', 'second', 'third'])
    assert.equal(await gate('a', async () => 'free'), 'free')
  })

  it('lets queues take turns, so that a full one delays another by one task', async () => {
    const gate = createGate({ queues: ['full', 'other'], atOnce: 1, waiting: 10 })
    const order: string[] = []
    const task = (queue: 'full' | 'other', name: string) =>
      gate(queue, async () => {
        order.push(name)
      })
    const flood = Array.from({ length: 20 }, (_, at) => task('full', `full ${at}`))
    const others = [task('other', 'other 0'), task('other', 'other 1')]
    const answers = await Promise.all([...flood, ...others])
    assert.equal(answers.filter((answer) => answer === null).length, 9)
    assert.deepEqual(order.slice(0, 5), ['full 0', 'full 1', 'other 0', 'full 2', 'other 1'])
    assert.equal(order.length, 13)
  })
})
