import { connect, createServer, type Socket } from 'node:net'

/** Where a connection is cut at its next `commit`. */
export type Cut = 'before' | 'half-way' | 'after' | 'late'

/** A proxy before a PostgreSQL server that cuts connections. */
export interface Proxy {
  readonly port: number
  /** The next commit that passes is cut; counts those that were. */
  cut(how: Cut): void
  readonly cuts: number
  close(): Promise<void>
}

const commit = Buffer.from('commit\0')

export async function startProxy(to: number): Promise<Proxy> {
  let armed: Cut | null = null
  let cuts = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    for (const one of [client, upstream]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => sockets.delete(one))
    }
    let silent = false
    upstream.on('data', (data) => {
      // The server has answered the commit, and nobody hears of it.
      if (silent) return void client.destroy()
      client.write(data)
    })
    client.on('data', (data) => {
      const at = data.indexOf(commit)
      if (armed === null || at < 0) return void upstream.write(data)
      const how = armed
      armed = null
      cuts++
      if (how === 'after') {
        silent = true
        upstream.write(data)
      } else if (how === 'late') {
        client.destroy()
        setTimeout(() => upstream.end(data), 150)
      } else {
        // A message before the commit may be cut in two.
        if (how === 'half-way') upstream.write(data.subarray(0, at >> 1))
        client.destroy()
        setTimeout(() => upstream.destroy(), 20)
      }
    })
    client.on('close', () => {
      if (!silent) setTimeout(() => upstream.end(), 200)
    })
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    cut: (how) => {
      armed = how
    },
    get cuts() {
      return cuts
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
