import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReceiver, memoryInbox, systemClock } from '@countersign/receiver-kit'
import {
  type LambdaEvent,
  lambdaHandler,
  lambdaScheduledHandler,
} from '@countersign/receiver-kit/lambda'
import { nextRoute } from '@countersign/receiver-kit/next'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { workersModule } from '@countersign/receiver-kit/workers'
import type {
  ALBEvent,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  ScheduledHandler,
} from 'aws-lambda'
import { makeReceiver, signer } from './shell-support.ts'

describe('the shell of Fetch', () => {
  it('refuses a request that nobody signed without reading its body', async () => {
    const { receiver, seen } = makeReceiver()
    let pulled = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(new Uint8Array(1))
        },
      },
      { highWaterMark: 0 },
    )
    const request = new Request('https://receiver.test/', { method: 'POST', body, duplex: 'half' })
    assert.equal((await receiver.fetch(request)).status, 401)
    assert.deepEqual([pulled, seen[0]?.fields.code], [0, 'unsigned'])
  })
})

describe('the shell of Next', () => {
  it('is a POST that runs the handlers behind the answer', async () => {
    const { receiver, handled } = makeReceiver()
    const work: (() => Promise<unknown>)[] = []
    // `after` of next/server takes a function of no arguments, or a promise, and runs it when the answer is out.
    const { POST } = nextRoute(receiver, {
      after: (task: () => Promise<unknown>) => void work.push(task),
    })
    assert.equal((await POST(signer.request(sampleReviewEvent()))).status, 204)
    assert.deepEqual(handled, [])
    for (const task of work) await task()
    assert.deepEqual(handled, ['evt_sample'])
  })
})

describe('the shell of Workers', () => {
  it('makes the receiver from the bindings once, handles behind the answer and by schedule', async () => {
    let made = 0
    let down = true
    let now = Date.now()
    const handled: string[] = []
    const worker = workersModule((env: { KEY: string }) => {
      made += 1
      return createReceiver({
        keys: [env.KEY],
        inbox: memoryInbox(),
        clock: { ...systemClock, now: () => now },
        retryAfterMs: () => 1_000,
        onEvent: ({ message }) => {
          if (down) throw new Error('not now')
          handled.push(message.id)
        },
      })
    })
    const env = { KEY: signer.key }
    const waiting: Promise<unknown>[] = []
    const context = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) }
    for (const id of ['evt_1', 'evt_2'])
      assert.equal(
        (await worker.fetch(signer.request(sampleReviewEvent({ id })), env, context)).status,
        204,
      )
    await Promise.all(waiting)
    assert.deepEqual([made, handled], [1, []])
    down = false
    assert.deepEqual(await worker.scheduled({}, env), { handled: 0, failed: 0 }, 'not due yet')
    now += 1_000
    assert.deepEqual(await worker.scheduled({}, env), { handled: 2, failed: 0 })
    assert.deepEqual(handled, ['evt_1', 'evt_2'])
  })
})

describe('the shell of Lambda', () => {
  it('answers what is no request of a gateway, such as a test invocation', async () => {
    const { receiver } = makeReceiver()
    const handle = lambdaHandler(receiver)
    const context = { requestContext: null }
    for (const event of [null, undefined, 'x' as never, 7 as never, [] as never, {}, context])
      assert.equal((await handle(event)).statusCode, 405)
  })

  it('refuses a body beyond its bound before it decodes it', async () => {
    const { receiver, seen } = makeReceiver({ maxBodyBytes: 1_000 })
    const { headers } = signer.sign(sampleReviewEvent())
    for (const isBase64Encoded of [true, false]) {
      const event = { httpMethod: 'POST', headers, body: 'A'.repeat(4_000), isBase64Encoded }
      assert.equal((await lambdaHandler(receiver)(event)).statusCode, 413)
    }
    assert.deepEqual(
      seen.map(({ fields }) => fields.code),
      ['body_too_large', 'body_too_large'],
    )
  })

  const { headers, body } = signer.sign(sampleReviewEvent())
  const text = new TextDecoder().decode(body)
  const base64 = Buffer.from(body).toString('base64')
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  const capitals = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  )
  const http = { http: { method: 'POST' } }
  const events = {
    'payload 2.0': {
      requestContext: http,
      headers,
      body: text,
      isBase64Encoded: false,
    } as Partial<APIGatewayProxyEventV2>,
    'payload 2.0, base64': {
      requestContext: http,
      headers,
      body: base64,
      isBase64Encoded: true,
    } as Partial<APIGatewayProxyEventV2>,
    'payload 1.0': {
      httpMethod: 'POST',
      headers: capitals,
      multiValueHeaders: lists,
      body: text,
    } as Partial<APIGatewayProxyEvent>,
    'a load balancer': {
      httpMethod: 'POST',
      headers,
      body: base64,
      isBase64Encoded: true,
    } as Partial<ALBEvent>,
  }
  for (const [what, event] of Object.entries(events))
    it(`takes ${what}`, async () => {
      const { receiver, handled } = makeReceiver()
      const result = await lambdaHandler(receiver)(event)
      assert.deepEqual(result, { statusCode: 204, headers: {}, body: '' })
      await receiver.drain()
      assert.deepEqual(handled, ['evt_sample'])
    })

  it('keeps every byte of a text body', async () => {
    const { receiver, seen } = makeReceiver()
    const odd = `{ "id":"evt_odd",\r\n"type":"review.case.new", "text":"\\u00e9 é \u{1F600} \u2028 \ufeff" }\n`
    const { headers: of } = signer.signBytes('evt_odd', new TextEncoder().encode(odd))
    const result = await lambdaHandler(receiver)({ httpMethod: 'POST', headers: of, body: odd })
    assert.equal(result.statusCode, 204)
    assert.deepEqual(
      seen.map((one) => one.name),
      ['receiver.stored'],
    )
  })

  it('tells what to do about a body that a middleware parsed', async () => {
    const { receiver, seen } = makeReceiver()
    const event = { httpMethod: 'POST', headers, body: JSON.parse(text) } as LambdaEvent
    assert.equal((await lambdaHandler(receiver)(event)).statusCode, 500)
    assert.match(String(seen[0]?.fields.detail), /before any body parser/)
  })

  it('handles by schedule what the first function stored', async () => {
    const { receiver, handled } = makeReceiver()
    await lambdaHandler(receiver)({ httpMethod: 'POST', headers, body: text })
    const scheduled: ScheduledHandler = lambdaScheduledHandler(receiver)
    await Reflect.apply(scheduled, null, [])
    assert.deepEqual(handled, ['evt_sample'])
  })

  it('answers a load balancer that has headers as lists in lists', async () => {
    const { receiver } = makeReceiver()
    const event: Partial<ALBEvent> = { httpMethod: 'POST', multiValueHeaders: lists, body: 'other' }
    const result: ALBResult = await lambdaHandler(receiver)(event)
    assert.equal(result.statusCode, 401)
    assert.deepEqual(result.multiValueHeaders, { 'content-type': ['application/json'] })
  })

  it('sees a header that was sent twice, in either form', async () => {
    const { receiver } = makeReceiver()
    const handler = lambdaHandler(receiver)
    const twice = { ...lists, 'webhook-id': ['evt_sample', 'evt_sample'] }
    const one = await handler({ httpMethod: 'POST', multiValueHeaders: twice, body: text })
    const joined = { ...headers, 'webhook-id': 'evt_sample,evt_sample' }
    const two = await handler({ requestContext: http, headers: joined, body: text })
    assert.deepEqual([one.statusCode, two.statusCode], [401, 401])
  })

  it('refuses what is not the base64 that it says it is', async () => {
    const { receiver } = makeReceiver()
    const event = { httpMethod: 'POST', headers, body: '%%%', isBase64Encoded: true }
    assert.equal((await lambdaHandler(receiver)(event)).statusCode, 400)
  })
})

describe('the fetch handler', () => {
  it('cuts a body that drips, and one that never ends', async () => {
    const { headers } = signer.sign(sampleReviewEvent())
    const stream = (chunk: Uint8Array, everyMs: number) => {
      let cancelled = false
      const source = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, everyMs))
          if (!cancelled) controller.enqueue(chunk)
        },
        cancel() {
          cancelled = true
        },
      })
      return { source, ended: () => cancelled }
    }
    const cases = [
      [408, 1, 5, { ackDeadlineMs: 30 }],
      [413, 1_000, 0, { maxBodyBytes: 5_000 }],
    ] as const
    for (const [status, size, everyMs, limits] of cases) {
      const { receiver } = makeReceiver(limits)
      const { source, ended } = stream(new Uint8Array(size), everyMs)
      const init = { method: 'POST', headers, body: source, duplex: 'half' } as RequestInit
      assert.equal((await receiver.fetch(new Request('https://a.test/', init))).status, status)
      assert.equal(ended(), true)
    }
  })

  it('tells what to do about a body that was read, or is being read', async () => {
    const { receiver, seen } = makeReceiver()
    const read = signer.request(sampleReviewEvent())
    await read.text()
    const locked = signer.request(sampleReviewEvent())
    locked.body?.getReader()
    for (const request of [read, locked]) assert.equal((await receiver.fetch(request)).status, 500)
    for (const { fields } of seen) assert.match(String(fields.detail), /before any body parser/)
    const { headers } = signer.sign(sampleReviewEvent())
    const body = sampleReviewEvent() as unknown as Uint8Array
    assert.equal((await receiver.handle({ method: 'POST', headers, body })).status, 500)
  })

  it('lets a peer go that breaks off, and refuses a POST without a body', async () => {
    const { receiver } = makeReceiver()
    const { headers } = signer.sign(sampleReviewEvent())
    const broken = new ReadableStream({
      start: (controller) => controller.error(new Error('reset')),
    })
    const init = { method: 'POST', headers, body: broken, duplex: 'half' } as RequestInit
    assert.equal((await receiver.fetch(new Request('https://a.test/', init))).status, 400)
    const empty = new Request('https://a.test/', { method: 'POST', headers })
    assert.equal((await receiver.fetch(empty)).status, 401)
    assert.equal((await receiver.fetch(new Request('https://a.test/'))).status, 405)
  })
})
