import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { pause } from '../../demo/processes.ts'
import type { LocalSetup } from '../../local.ts'

/** An endpoint that keeps what it is sent and answers 204, or never. */
export interface Sink {
  /** Ids of the events that came whole, each as often as it came. */
  readonly came: readonly string[]
  /** Those that were answered. */
  readonly answered: ReadonlySet<string>
  slowMs: number
  deaf: boolean
  close(): void
}

export async function openSink(setup: LocalSetup): Promise<Sink> {
  const came: string[] = []
  const answered = new Set<string>()
  const tls = { key: readFileSync(setup.files.tlsKey), cert: readFileSync(setup.files.tlsCert) }
  const server = createServer(tls, async (request, response) => {
    for await (const _ of request) {
      // Read to its end.
    }
    const id = String(request.headers['webhook-id'])
    came.push(id)
    await pause(sink.slowMs)
    if (sink.deaf) return
    response.writeHead(204).end()
    answered.add(id)
  })
  const sink: Sink = {
    came,
    answered,
    slowMs: 0,
    deaf: false,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  await new Promise<void>((resolve) => server.listen(setup.ports.receiver, '127.0.0.1', resolve))
  return sink
}
