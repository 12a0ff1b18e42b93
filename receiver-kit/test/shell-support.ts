import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { createReceiver, memoryInbox, type Receiver } from '@countersign/receiver-kit'
import {
  createTestSigner,
  type SignedMessage,
  type TestSigner,
} from '@countersign/receiver-kit/testing'
import { type Seen, sharedSecret } from './support.ts'

export const signer: TestSigner = createTestSigner({ privateKey: sharedSecret })

export interface Host {
  readonly receiver: Receiver
  readonly handled: string[]
  readonly seen: Seen[]
}

export function makeReceiver(change: object = {}): Host {
  const handled: string[] = []
  const seen: Seen[] = []
  const receiver = createReceiver({
    keys: [signer.key],
    inbox: memoryInbox(),
    onEvent: ({ message }) => void handled.push(message.id),
    observer: { event: (name, fields) => void seen.push({ name, fields }) },
    ...change,
  })
  return { receiver, handled, seen }
}

export const closers: (() => Promise<unknown>)[] = []
after(() => Promise.all(closers.map((close) => close())))

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
export const listenTo = (listener: RequestListener) => listen(createServer(listener))

export async function post(url: string, { headers, body }: SignedMessage) {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: body as Uint8Array<ArrayBuffer>,
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

export async function whole(stream: AsyncIterable<Buffer>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export type Bind = (receiver: Receiver) => Promise<string>
