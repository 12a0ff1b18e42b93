import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one read of a connection that may wait for their turn; the parser hands them over at once. */
const mostWaiting = 64

type Arrived = readonly [request: IncomingMessage, response: ServerResponse]

/**
 * Has one request in work per connection: pipelined ones (RFC 9112 9.3.2) wait until the answer before them is out, and
 * the connection is not read until then. A client that sends more than 64 ahead is cut.
 */
export function takeTurns(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Arrived[]>()

  function begin(socket: Socket, [request, response]: Arrived): void {
    response.once('close', () => goOn(socket))
    listener(request, response)
  }

  function goOn(socket: Socket): void {
    const next = socket.destroyed ? undefined : lines.get(socket)?.shift()
    if (next) begin(socket, next)
    else {
      lines.delete(socket)
      if (!socket.destroyed) socket.resume()
    }
  }

  return (request, response) => {
    const { socket } = request
    const line = lines.get(socket)
    if (!line) {
      lines.set(socket, [])
      begin(socket, [request, response])
    } else if (line.length < mostWaiting) {
      line.push([request, response])
      socket.pause()
    } else {
      line.length = 0
      socket.destroy()
    }
  }
}
