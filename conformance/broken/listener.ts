import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on a loopback port that can be killed and comes back on the same port. */
export interface Listener {
  readonly url: string
  listen(handler: RequestListener): Promise<void>
  /** Ends every connection in the middle of whatever it does. */
  kill(): Promise<void>
}

export async function createListener({
  maxHeaderSize = 16_384,
  takesFolded = false,
  takesExpectations = false,
}: {
  readonly maxHeaderSize?: number
  readonly takesFolded?: boolean
  readonly takesExpectations?: boolean
} = {}): Promise<Listener> {
  let port = 0
  let server: http.Server | null = null

  async function listen(handler: RequestListener): Promise<void> {
    const next = http.createServer({ maxHeaderSize, insecureHTTPParser: takesFolded }, handler)
    if (takesExpectations) next.on('checkExpectation', handler)
    await new Promise<void>((resolve, reject) => {
      next.once('error', reject)
      next.listen(port, '127.0.0.1', resolve)
    })
    port = (next.address() as AddressInfo).port
    server = next
  }

  async function kill(): Promise<void> {
    const last = server
    server = null
    if (last === null) return
    await new Promise<void>((resolve) => {
      last.close(() => resolve())
      last.closeAllConnections()
    })
  }

  await listen((_, response) => response.writeHead(503).end())
  await kill()
  return {
    get url() {
      return `http://127.0.0.1:${port}/`
    },
    listen,
    kill,
  }
}
