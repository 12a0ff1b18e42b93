import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { ExchangeResult } from '@countersign/core/ports'
import { createTransport, type NodeTransport, type ResolveName } from '@countersign/node'
import { authority, detail, exchangeTo, serverCert, told } from './endpoint.ts'
import { type Fault, injectFault, ways } from './socket-faults.ts'

// An uncaught exception in this thread fails the test that runs, so each of them shows that nothing ends a thread.

const body = new Uint8Array(3_000).fill(0x61)
let endpoint: Worker
let transport: NodeTransport
let resolve: ResolveName
let port = 0
let names = 0

before(async () => {
  endpoint = new Worker(new URL('./fault-endpoint.js', import.meta.url), {
    workerData: serverCert(['*.hook.localhost']),
  })
  // A fault before the answer leaves its play's listener for 'closed' unused.
  endpoint.setMaxListeners(0)
  ;[port] = (await once(endpoint, 'message')) as [number]
  transport = createTransport({
    ca: authority.cert,
    allowedSubnets: ['127.0.0.0/8', '::1/128', '255.255.255.255/32'],
    resolve: (name) => resolve(name),
  })
})
after(async () => {
  transport.close()
  await endpoint.terminate()
})

/** An origin that no exchange went to before, so that it is looked up, dialled and secured anew. */
const freshOrigin = () => `https://n${++names}.hook.localhost:${port}`

const turn = () => new Promise((done) => setImmediate(done))

const post = (url: string) => transport.post(exchangeTo(url, { body, deadlineMs: 5_000 }))

function isRight(result: ExchangeResult): boolean {
  return (
    result.kind === 'answer' &&
    result.status === 200 &&
    result.headers['x-endpoint'] === 'right' &&
    !result.truncated &&
    Buffer.compare(result.body, body) === 0
  )
}

/** A failure is told as one; an answer is right, or cut with the right beginning. */
function isNotWrong(result: ExchangeResult): boolean {
  if (result.kind === 'error') return result.error !== 'timeout' && detail(result) !== ''
  return isRight(result) || (result.status === 200 && result.truncated)
}

/** A new connection, its reuse, and its close by the endpoint, under the fault; then one exchange without it. */
async function play(fault: Fault | null) {
  const origin = freshOrigin()
  const injection = injectFault(fault)
  const results: ExchangeResult[] = []
  const closed = once(endpoint, 'message')
  try {
    for (const path of ['/first', '/again', '/last']) {
      results.push(await post(`${origin}${path}`))
      // What the end of one exchange leaves to do comes before the next.
      await turn()
    }
    const last = results.at(-1)
    // Cut or whole, it was answered, and so is closed by the endpoint.
    if (last?.kind === 'answer') await closed
    await turn()
  } finally {
    injection.remove()
  }
  const after = await post(`${origin}/after`)
  // A connection that dies while it is idle may take the next exchange with it, which is then the one that fails.
  if (isRight(after)) return { results, next: after, steps: injection.steps }
  return {
    results: [...results, after],
    next: await post(`${origin}/next`),
    steps: injection.steps,
  }
}

/** Every step from the look-up to the close, which the run without a fault must take. */
const mustFail = [
  'connect',
  'on lookup',
  'on connect',
  'setServername',
  '_start',
  'on secure',
  'on secureConnect',
  'write',
  'read',
  'on readable',
  'on end',
  'on close',
  '_destroy',
]

describe('a fault of a socket', () => {
  it('in any step and in any way fails one exchange at most, and ends nothing', async () => {
    resolve = async () => ['127.0.0.1']
    const { results, next, steps } = await play(null)
    assert.deepEqual([...results, next].map(told), ['200', '200', '200', '200'])
    for (const step of mustFail) assert.ok(steps.includes(step), `${step} in ${steps.join(', ')}`)
    for (const [at, step] of steps.entries())
      for (const way of ways) {
        if (step.startsWith('on ') && way === 'throw') continue
        const where = `${way} at step ${at} (${step})`
        const { results, next } = await play({ at, way })
        const seen = `${where}: ${[...results, next].map((one) => `${told(one)} ${detail(one)}`)}`
        assert.ok(results.every(isNotWrong), seen)
        assert.ok(results.filter((result) => !isRight(result)).length <= 1, seen)
        assert.ok(isRight(next), seen)
      }
  })

  it('that every dial meets at once is a failure to connect', async () => {
    const origin = freshOrigin()
    // A broadcast address has no TCP: the system refuses in the very call, as it does without a route or a descriptor.
    for (const none of [['255.255.255.255'], ['255.255.255.255', '255.255.255.255']]) {
      resolve = async () => none
      const url = freshOrigin()
      assert.equal(told(await post(`${url}/first`)), 'connect')
      assert.equal(told(await post(`${url}/again`)), 'connect')
    }
    resolve = async () => ['255.255.255.255', '127.0.0.1']
    assert.ok(isRight(await post(`${origin}/first`)))
  })

  it('or of the look-up fails its own exchange, and the next look-up is right', async () => {
    const faults: readonly ResolveName[] = [
      () => {
        throw new Error('thrown')
      },
      () => Promise.reject(new Error('rejected')),
      () => Promise.reject(undefined),
      async () => [],
      async () => ['no address'],
      async () => [null as unknown as string],
      async () => null as unknown as string[],
    ]
    for (const fault of faults) {
      const origin = freshOrigin()
      resolve = fault
      assert.equal((await post(`${origin}/first`)).kind, 'error')
      resolve = async () => ['127.0.0.1']
      assert.ok(isRight(await post(`${origin}/again`)))
    }
  })
})
