import { connect, createServer, type Socket } from 'node:net'

/**
 * Where a connection is cut at its next `commit`. What was sent `late` reaches the server as the client asks whether it
 * was committed, and what was sent `too late` once the client has made sure that it was not.
 */
export type Cut = 'before' | 'half-way' | 'after' | 'late' | 'too late'

/** A proxy before a PostgreSQL server that cuts connections. */
export interface Proxy {
  readonly port: number
  /** The next commit that passes is cut; counts those that were. */
  cut(how: Cut): void
  readonly cuts: number
  close(): Promise<void>
}

const commit = Buffer.from('commit\0')
const ended = Buffer.from('COMMIT\0')
/** How a writer asks what became of its transaction, and sees to it that nothing more becomes of it. */
const asks = Buffer.from('from _writers where id = $1 for update')
const fences = Buffer.from('seq = seq + 1000000')

export async function startProxy(to: number): Promise<Proxy> {
  let armed: Cut | null = null
  let cuts = 0
  const sockets = new Set<Socket>()
  /** What is still to happen on connections that were cut. */
  let atAsking: (() => void)[] = []
  let atFenced: (() => void)[] = []
  const run = (all: (() => void)[]) => {
    for (const each of all.splice(0)) each()
  }

  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    for (const one of [client, upstream]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => sockets.delete(one))
    }
    let isCut = false
    let answer = Buffer.alloc(0)
    let fence: 'none' | 'sent' | 'committing' = 'none'
    upstream.on('data', (data) => {
      if (isCut) {
        answer = Buffer.concat([answer.subarray(-ended.length), data])
        if (!answer.includes(ended)) return
        // The server has answered the commit, and nobody hears of it.
        client.destroy()
        upstream.end()
        return
      }
      client.write(data)
      if (fence === 'committing') {
        fence = 'none'
        run(atFenced)
      }
    })
    client.on('data', (data) => {
      if (data.includes(asks)) run(atAsking)
      const at = data.indexOf(commit)
      if (data.includes(fences)) fence = 'sent'
      if (fence === 'sent' && at >= 0) fence = 'committing'
      if (armed === null || at < 0) return void upstream.write(data)
      const how = armed
      armed = null
      cuts++
      isCut = true
      if (how === 'after') return void upstream.write(data)
      // The server goes on holding what the transaction has locked.
      client.destroy()
      if (how === 'late') atAsking.push(() => upstream.end(data))
      else if (how === 'too late') atFenced.push(() => upstream.end(data))
      else {
        // A message before the commit may be cut in two.
        if (how === 'half-way') upstream.write(data.subarray(0, at >> 1))
        atAsking.push(() => upstream.destroy())
      }
    })
    client.on('close', () => {
      if (!isCut) upstream.end()
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
      atAsking = []
      atFenced = []
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
