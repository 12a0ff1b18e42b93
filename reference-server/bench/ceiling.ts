import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { Pool } from 'undici'
import { rateOf } from './figure.ts'
import type { Stage } from './stage.ts'

export type Scheme = 'v1' | 'v1a'

/** In flight on both sides of a delivery ratio. */
export const inFlight = 64

/** About as long as a review event. */
export const sampleBody: Buffer = Buffer.from(
  JSON.stringify({
    id: 'evt_'.padEnd(30, '0'),
    type: 'review.case.cancelled',
    rest: 'x'.repeat(520),
  }),
)

/** A bare loop: signs with node:crypto, posts with undici, stores nothing. */
export interface Ceiling {
  /** Messages a second. */
  run(count: number): Promise<number>
  close(): Promise<void>
}

export function createCeiling(stage: Stage, scheme: Scheme): Ceiling {
  const pool = new Pool(stage.receiver.https, {
    connections: inFlight,
    connect: { ca: stage.ca },
  })
  const { privateKey } = generateKeyPairSync('ed25519')
  const secret = randomBytes(32)
  const signatureOf = (message: Buffer) =>
    scheme === 'v1a'
      ? `v1a,${sign(null, message, privateKey).toString('base64')}`
      : `v1,${createHmac('sha256', secret).update(message).digest('base64')}`

  async function post(at: number): Promise<void> {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const id = `evt_${at}`
    const message = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), sampleBody])
    const answer = await pool.request({
      path: '/',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(message),
      },
      body: sampleBody,
    })
    await answer.body.dump()
  }

  return {
    run: async (count) => {
      // Connections that the peer has closed for idleness are opened again before the time is taken.
      await rateOf(2 * inFlight, inFlight, post)
      return rateOf(count, inFlight, post)
    },
    close: () => pool.destroy(),
  }
}
