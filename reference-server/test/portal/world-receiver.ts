import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { PortalStage } from './stage.ts'

/** An https server that webhooks call, and what it was sent. */
export interface Receiver {
  readonly origin: string
  /** Paths that were called, in order. */
  readonly calls: readonly string[]
  /** What a path answers from now on; 200 unless told. */
  answer(path: string, status: number): void
  close(): Promise<void>
}

/** Opens a receiver that proves to be one: it answers challenges. */
export async function openReceiver({ certificate }: PortalStage): Promise<Receiver> {
  const statuses = new Map<string, number>()
  const calls: string[] = []
  const server = createServer(certificate, async (request, response) => {
    const path = request.url ?? '/'
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    calls.push(path)
    const { challenge = null } = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    response.writeHead(statuses.get(path) ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(challenge === null ? { taken: true } : { challenge }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    calls,
    answer: (path, status) => void statuses.set(path, status),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
