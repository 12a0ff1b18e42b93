import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { transportThread } from '@countersign/node'
import fc from 'fast-check'
import { createRestarts } from '../../thread.ts'
import { authority, detail, exchangeTo, httpsEndpoint, told } from './endpoint.ts'

const options = { ca: authority.cert, allowedSubnets: ['127.0.0.0/8'] }

/** A host that is an address, for the thread asks the system for names. */
async function endpointOf(t: TestContext, handler: RequestListener): Promise<string> {
  const { port } = await httpsEndpoint(t, handler)
  return `https://127.0.0.1:${port}/hook`
}

function threadOf(t: TestContext, more: Parameters<typeof transportThread>[0] = {}) {
  const transport = transportThread({ ...options, ...more })
  t.after(() => transport.close())
  return transport
}

const answering: RequestListener = (request, response) => {
  request.resume()
  response.writeHead(204).end()
}

describe('the thread that sends', () => {
  it('tells each exchange its own answer, whatever goes together', async (t) => {
    const url = await endpointOf(t, (request, response) => {
      const name = String(request.headers['webhook-id'])
      response.writeHead(200, { 'x-name': name })
      request.pipe(response)
    })
    const transport = threadOf(t)
    const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(bodies, fc.nat({ max: 100 }), async (sent, before) => {
        const results = await Promise.all(
          sent.map((bytes, at) => {
            // In the middle of more, as a store may hand bytes out.
            const pool = new Uint8Array(before + bytes.length + 50).fill(0xee)
            pool.set(bytes, before)
            const body = pool.subarray(before, before + bytes.length)
            const headers = { 'webhook-id': `${at}` }
            return transport.post(exchangeTo(url, { headers, body, keepBytes: 200 }))
          }),
        )
        for (const [at, result] of results.entries()) {
          assert.ok(result.kind === 'answer', detail(result))
          const bytes = sent[at] ?? new Uint8Array()
          assert.equal(result.headers['x-name'], `${at}`)
          assert.deepEqual([...result.body], [...bytes.subarray(0, 200)])
          assert.equal(result.truncated, bytes.length > 200)
          assert.equal(result.body.buffer.byteLength, result.body.length)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('refuses what is not public, and options that make no sense', async (t) => {
    const url = await endpointOf(t, answering)
    const transport = threadOf(t, { allowedSubnets: [] })
    assert.equal(told(await transport.post(exchangeTo(url))), 'refused_address')
    assert.throws(() => transportThread({ allowedSubnets: ['here'] }), /here/)
    assert.throws(() => transportThread({ ca: 'no certificate' }), /in PEM/)
  })

  it('gives up what is under way when it is closed, and sends nothing afterwards', async (t) => {
    let arrived = () => {}
    const came = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const url = await endpointOf(t, () => arrived())
    const endings: Error[] = []
    const transport = threadOf(t, { onEnded: (error) => endings.push(error) })
    const result = transport.post(exchangeTo(url))
    await came
    transport.close()
    assert.equal(detail(await result), 'the transport was closed')
    assert.equal(told(await transport.post(exchangeTo(url))), 'aborted')
    assert.deepEqual(endings, [])
  })

  it('that ends by itself aborts what is under way, says so, and is started again for the rest', async (t) => {
    const made = once(process, 'worker') as Promise<Worker[]>
    const endings: string[] = []
    const url = await endpointOf(t, (request, response) => {
      if (request.url !== '/hook/hang') answering(request, response)
    })
    const heard: unknown[] = []
    const transport = threadOf(t, {
      onEnded: ({ message }) => endings.push(message),
      observer: { event: (...event) => heard.push(event) },
    })
    const hanging = transport.post(exchangeTo(`${url}/hang`))
    const [worker] = await made
    await worker?.terminate()
    assert.match(detail(await hanging), /^the thread that sends has ended: .*exit code \d$/)
    const again = once(process, 'worker')
    assert.equal(told(await transport.post(exchangeTo(url))), '204')
    await again
    assert.equal(endings.length, 1)
    assert.deepEqual(heard, [['thread.restarted', { thread: 'sending', error: endings[0] }]])
  })

  it('that ends again and again loses what it had, keeps what it was not given, and sends the rest', async (t) => {
    const url = await endpointOf(t, answering)
    let endings = 0
    const workers: Worker[] = []
    const seen = (worker: Worker) => workers.push(worker)
    process.on('worker', seen)
    t.after(() => process.off('worker', seen))
    const transport = threadOf(t, { onEnded: () => endings++ })
    assert.equal(told(await transport.post(exchangeTo(url))), '204')
    for (let round = 1; round <= 3; round++) {
      const ending = workers.at(-1)?.terminate()
      const results = await Promise.all(
        Array.from({ length: 5 }, () => transport.post(exchangeTo(url))),
      )
      await ending
      assert.ok(results.every((result) => ['204', 'aborted'].includes(told(result))))
      assert.equal(told(await transport.post(exchangeTo(url))), '204', 'the next exchange is right')
      assert.equal(endings, round)
    }
    assert.equal(workers.length, 4)
  })

  it('takes hold of the process once for all that is under way, anew after it and after an end', async (t) => {
    let hold = (_: ServerResponse) => {}
    const held = new Promise<ServerResponse>((resolve) => {
      hold = resolve
    })
    const url = await endpointOf(t, (request, response) => {
      if (request.url === '/hook/held') hold(response)
      else answering(request, response)
    })
    const transport = threadOf(t)
    const refs = t.mock.method(Worker.prototype, 'ref')
    const made = once(process, 'worker') as Promise<Worker[]>
    const post = async (path = '') => told(await transport.post(exchangeTo(`${url}${path}`)))
    const first = post('/held')
    const [worker] = await made
    for (let batch = 0; batch < 3; batch++) assert.equal(await post(), '204')
    assert.equal(refs.mock.callCount(), 1)
    const response = await held
    response.writeHead(204).end()
    assert.equal(await first, '204')
    const second = post('/held')
    assert.equal(await post(), '204')
    assert.equal(refs.mock.callCount(), 2)
    await worker?.terminate()
    assert.equal(await second, 'aborted')
    // Node's `terminate` has called it too.
    refs.mock.resetCalls()
    assert.equal(await post(), '204')
    assert.equal(refs.mock.callCount(), 1)
  })

  it('holds the process while an answer is awaited, and no longer', () => {
    const { stdout, status, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(new URL('./leaver.js', import.meta.url))],
      { encoding: 'utf8', timeout: 30_000 },
    )
    assert.equal(status, 0, stderr)
    assert.equal(stdout, 'refused_address\nrefused_address\n')
  })

  it('waits longer with each end that brings no work, a second at most, and at first not at all', () => {
    let now = 0
    const restarts = createRestarts(() => now)
    const waits = Array.from({ length: 8 }, () => {
      restarts.ended()
      const wait = restarts.wait()
      now += wait
      assert.equal(restarts.wait(), 0)
      return wait
    })
    assert.deepEqual(waits, [0, 50, 100, 200, 400, 800, 1_000, 1_000])
    restarts.worked()
    restarts.ended()
    assert.equal(restarts.wait(), 0)
  })
})
