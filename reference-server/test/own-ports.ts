import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { freePorts } from '../demo/processes.ts'

/**
 * Free ports of the loopback interface, which no other process of the tests takes before they are listened at: this one
 * holds the same ports of UDP until it ends.
 */
export async function ownPorts(count: number): Promise<readonly number[]> {
  const own: number[] = []
  while (own.length < count) {
    const [port = 0] = await freePorts(1)
    if (await isHeld(port)) own.push(port)
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
