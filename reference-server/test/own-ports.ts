import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems give to those who ask for any (32,768 on Linux, 49,152 elsewhere), and above the last one
 * there that browsers and fetch refuse to ask (10,080; Fetch, 2.9 "Port blocking").
 */
const [lowest, highest] = [10_081, 32_767]
let next = firstPort(process.pid)

/** Where a process begins to look, by its id. */
export function firstPort(pid: number): number {
  return lowest + ((pid * 64) % (highest - lowest))
}

/**
 * Free ports of the loopback interface, which nobody else takes before they are listened at: no system gives them to
 * those who ask for any, and this process holds the same ports of UDP until it ends, which the other tests look at.
 */
export async function ownPorts(count: number): Promise<readonly number[]> {
  const own: number[] = []
  while (own.length < count) {
    const port = next
    next = next === highest ? lowest : next + 1
    if ((await isHeld(port)) && (await isFree(port))) own.push(port)
  }
  return own
}

async function isHeld(port: number): Promise<boolean> {
  const guard = createSocket('udp4').unref()
  guard.bind({ port, address: '127.0.0.1', exclusive: true })
  return once(guard, 'listening').then(
    () => true,
    () => {
      guard.close()
      return false
    },
  )
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
