import assert from 'node:assert/strict'
import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { type SignedMessage, sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { listenTo, makeReceiver, signer } from './shell-support.ts'

describe('the shell of node:http', () => {
  /** Sends a text but for its end, which follows in another packet where it is sent. */
  const raw = (url: string, text: string, end: 'sent' | 'kept' = 'sent') =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
      const cut = text.length - 20
      socket.write(text.slice(0, cut))
      if (end === 'sent') setTimeout(() => socket.write(text.slice(cut)))
    })
  const request = ({ headers, body }: SignedMessage, more = '') =>
    `POST /hook HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${body.length}\r\n${Object.entries(
      headers,
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}${more}\r\n${new TextDecoder().decode(body)}`

  it('sees a header that was sent twice', async () => {
    const { receiver, seen } = makeReceiver()
    const url = await listenTo(nodeHandler(receiver))
    const message = signer.sign(sampleReviewEvent())
    for (const name of ['webhook-id', 'Webhook-Signature', 'webhook-timestamp']) {
      const value = message.headers[name.toLowerCase()]
      assert.match(await raw(url, request(message, `${name}: ${value}\r\n`)), /^HTTP\/1.1 401/)
    }
    assert.match(String(seen[0]?.fields.detail), /once, got it 2 times/)
    assert.match(await raw(url, request(message)), /^HTTP\/1.1 204/)
  })

  it('cuts a body that drips, and the connection with it', async () => {
    const { receiver, seen } = makeReceiver({ ackDeadlineMs: 50 })
    const url = await listenTo(nodeHandler(receiver))
    const answer = await raw(
      url,
      request(signer.sign(sampleReviewEvent())).replace('connection: close\r\n', ''),
      'kept',
    )
    assert.match(answer, /^HTTP\/1.1 408/)
    assert.match(answer, /connection: close/i)
    assert.deepEqual(
      seen.map((one) => one.fields.code),
      ['body_too_slow'],
    )
  })

  it('refuses by its announced length, unread', async () => {
    const { receiver } = makeReceiver({ maxBodyBytes: 1_000 })
    const url = await listenTo(nodeHandler(receiver))
    const text = request(signer.sign(sampleReviewEvent())).replace(
      /content-length: \d+/,
      'content-length: 900000000',
    )
    assert.match(await raw(url, text), /^HTTP\/1.1 413/)
  })

  it('refuses a request that nobody signed while its body has not come', async () => {
    const { receiver, seen } = makeReceiver()
    const url = await listenTo(nodeHandler(receiver))
    const announced = 'POST /hook HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n'
    const unsigned = [
      `${announced}\r\n${' '.repeat(30)}`,
      `${announced}webhook-signature: v1,AAAA\r\n\r\n${' '.repeat(30)}`,
      `${announced.replace('content-length: 1000000', 'transfer-encoding: chunked')}\r\n1\r\n \r\n`,
    ]
    // The rest of the text never completes a body: an answer can only come without one.
    for (const text of unsigned) {
      const answer = await raw(url, text)
      assert.match(answer, /^HTTP\/1.1 401/)
      assert.match(answer, /connection: close/i)
    }
    assert.deepEqual(
      seen.map((one) => one.fields.code),
      unsigned.map(() => 'unsigned'),
    )
  })

  it('lets a peer go that breaks off', async () => {
    const { receiver, seen } = makeReceiver()
    const url = await listenTo(nodeHandler(receiver))
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const text = request(signer.sign(sampleReviewEvent()))
    socket.end(text.slice(0, -10))
    socket.destroySoon()
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    assert.equal(seen[0]?.fields.code, 'unreadable_body')
  })

  it('works over HTTP/2', async () => {
    const { receiver } = makeReceiver()
    const server = createHttp2Server(
      (incoming, outgoing) => void nodeHandler(receiver)(incoming, outgoing),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { connect: connect2 } = await import('node:http2')
    const client = connect2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const { headers, body } = signer.sign(sampleReviewEvent())
    const stream = client.request({ ':method': 'POST', ':path': '/hook', ...headers })
    stream.end(body)
    const status = await new Promise((resolve) =>
      stream.on('response', (got) => resolve(got[':status'])),
    )
    client.close()
    server.close()
    assert.equal(status, 204)
  })
})
