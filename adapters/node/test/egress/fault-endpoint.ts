import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

// An https endpoint on a thread of its own, whose sockets the faults of the test don't reach. It echoes the body.
const server = createServer(workerData, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(200, { 'x-endpoint': 'right' })
    // Head and body apart, so that each is a read of its own.
    response.flushHeaders()
    setImmediate(() =>
      response.end(Buffer.concat(chunks), () => {
        // The end of an idle connection comes from this side.
        if (request.url !== '/last') return
        request.socket.once('close', () => parentPort?.postMessage('closed'))
        request.socket.end()
      }),
    )
  })
})
server.on('tlsClientError', () => {})
server.on('connection', (socket) => socket.on('error', () => {}))
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
