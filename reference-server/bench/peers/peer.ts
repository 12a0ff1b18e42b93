import { createHmac, randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { inFlight, sampleBody } from '../ceiling.ts'
import type { Stage } from '../stage.ts'

/** A queue that does the same job: takes a message durably, sends it signed with v1, records the attempt durably. */
export interface Peer {
  /** Messages a second, from the first that is queued to the last that is recorded. */
  run(count: number): Promise<number>
  close(): Promise<void>
}

/** Why a peer could not be measured on this machine. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

export interface Attempt {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly answered: Readonly<Record<string, string | string[] | undefined>>
  readonly latencyMs: number
}

export interface Poster {
  readonly body: string
  post(id: string, body: string): Promise<Attempt>
  close(): Promise<void>
}

/** The same signing and posting for every peer: node:crypto and undici over the same https. */
export function createPoster(stage: Stage): Poster {
  const pool = new Pool(stage.receiver.https, { connections: inFlight, connect: { ca: stage.ca } })
  const secret = randomBytes(32)
  return {
    body: sampleBody.toString(),
    async post(id, body) {
      const start = performance.now()
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${mac}`,
      }
      const answer = await pool.request({ path: '/', method: 'POST', headers, body })
      await answer.body.dump()
      const latencyMs = performance.now() - start
      return { status: answer.statusCode, headers, answered: answer.headers, latencyMs }
    },
    close: () => pool.destroy(),
  }
}
