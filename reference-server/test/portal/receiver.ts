import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { scratchDirectory } from '../processes/scratch.ts'

/** An endpoint of an integrator, which keeps what came and answers as it is told. */
export interface Receiver {
  readonly origin: string
  /** Settings by which a server trusts it. */
  readonly settings: Readonly<Record<string, string>>
  /** Ids of what came, each as often as it came. */
  readonly came: readonly string[]
  /** What it answers from now on. */
  status: number
  body: string
  close(): void
}

export async function openReceiver(): Promise<Receiver> {
  const authority = await ensureLocalCa(scratchDirectory(), { now: Date.now() })
  const came: string[] = []
  const server = createServer(await authority.certFor(['localhost']), async (request, response) => {
    for await (const _ of request) {
      // Read to its end.
    }
    came.push(String(request.headers['webhook-id']))
    response.writeHead(receiver.status, { 'content-type': 'text/plain' }).end(receiver.body)
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    origin: `https://localhost:${port}`,
    settings: { COUNTERSIGN_EGRESS_CA_FILE: authority.caFile },
    came,
    status: 200,
    body: 'thank you',
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}
