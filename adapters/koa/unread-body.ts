import type { Context, Middleware } from 'koa'

/** What is read and dropped of a body after its 413, on a connection whose caller is known. */
export const droppedRest = { bytes: 8 * 1024 * 1024, ms: 1_000, chunks: 1_000 } as const

/**
 * Closes the connection when an answer is sent before the request's body was read to its end (RFC 9112 9.6). Node reads
 * and drops such a body for as long as it comes, and each chunk costs some microseconds whatever its size.
 */
export const closeUnread: Middleware = async (ctx, next) => {
  try {
    await next()
  } finally {
    // Unlike the header, this holds when Koa drops all headers for an error of its own.
    if (!ctx.req.complete && !ctx.state.dropsRest) ctx.res.shouldKeepAlive = false
  }
}

/**
 * Reads and drops what follows of a body, within `droppedRest`: a caller who writes the whole body before it reads hears
 * the refusal and not a reset connection. Beyond a bound the connection is closed once the answer is out.
 */
export function dropRest({ req, res, state }: Context): void {
  if (req.complete) return
  state.dropsRest = true
  let [bytes, chunks] = [0, 0]

  function count(chunk: Uint8Array): void {
    bytes += chunk.length
    chunks++
    if (bytes > droppedRest.bytes || chunks > droppedRest.chunks) giveUp()
  }
  function giveUp(): void {
    end()
    req.pause()
    if (res.writableFinished) close()
    else res.once('finish', close)
  }
  // Not `destroySoon`, which only a socket of the system has.
  const close = () => void req.socket.end(() => req.socket.destroy())
  function end(): void {
    clearTimeout(late)
    req.off('data', count)
  }
  const late = setTimeout(giveUp, droppedRest.ms)
  req.on('data', count).once('end', end).once('close', end).resume()
}
