import { readFileSync } from 'node:fs'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { serveParent } from '../child.ts'
import { listening } from '../listening.ts'
import type { TlsFiles } from '../stage.ts'

/** Just within the deadline of a delivery. */
const slowMs = 9_500

// The receiver of every ratio: drains the body and answers 204, late below `/slow`, or never below `/hang`.
function take(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  if (request.url?.startsWith('/hang')) return
  const answer = () => response.writeHead(204).end()
  request.on('end', request.url?.startsWith('/slow') ? () => setTimeout(answer, slowMs) : answer)
}

await serveParent<TlsFiles>(async ({ key, cert }) => ({
  ready: {
    https: await listening(createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, take)),
    http: await listening(createHttp(take)),
  },
}))
