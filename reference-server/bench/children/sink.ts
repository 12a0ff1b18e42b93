import { readFileSync } from 'node:fs'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { serveParent } from '../child.ts'
import { listening } from '../listening.ts'
import type { TlsFiles } from '../stage.ts'

// The receiver of every ratio: drains the body and answers 204, or never answers.
function take(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  if (request.url?.startsWith('/hang')) return
  request.on('end', () => response.writeHead(204).end())
}

await serveParent<TlsFiles>(async ({ key, cert }) => ({
  ready: {
    https: await listening(createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, take)),
    http: await listening(createHttp(take)),
  },
}))
