import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { nativePrimitives } from '@countersign/node/crypto'
import { createReceiver } from '@countersign/receiver-kit'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { openSqliteInbox } from '@countersign/sqlite'
import { serveParent } from '../child.ts'
import { listening } from '../listening.ts'

export interface Given {
  readonly directory: string
  /** Null: a handler that only drains and answers 204. */
  readonly key: string | null
}

const drain: RequestListener = (request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(204).end())
}

function durable(key: string, directory: string): RequestListener {
  const receiver = createReceiver({
    keys: [key],
    primitives: nativePrimitives,
    inbox: openSqliteInbox({ file: join(directory, 'inbox.db') }),
    maxStoring: 2_000,
    onEvent: () => {},
  })
  receiver.start()
  const handle = nodeHandler(receiver)
  return (request, response) => void handle(request, response)
}

await serveParent<Given>(async ({ directory, key }) => {
  const server = createServer(key === null ? drain : durable(key, directory))
  return { ready: await listening(server) }
})
