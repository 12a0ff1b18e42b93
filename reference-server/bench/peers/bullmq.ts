import { Queue, Worker } from 'bullmq'
import { inFlight } from '../ceiling.ts'
import { perSecond, rateOf } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { createPoster, type Peer } from './peer.ts'
import { startRedis } from './servers.ts'

/** BullMQ: the attempt is the job's return value, which is kept. */
export async function openBullmq(stage: Stage): Promise<Peer> {
  const redis = await startRedis(stage.directory('redis'))
  const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null }
  const poster = createPoster(stage)
  const queue = new Queue('deliver', { connection })
  let left = 0
  let ended = () => {}
  const worker = new Worker('deliver', ({ data }) => poster.post(data.id, data.body), {
    connection,
    concurrency: inFlight,
  })
  worker.on('completed', () => {
    if (--left === 0) ended()
  })
  await worker.waitUntilReady()
  let made = 0
  return {
    async run(count) {
      left = count
      const start = performance.now()
      const all = new Promise<void>((resolve) => {
        ended = resolve
      })
      await rateOf(count, 256, () =>
        queue.add('deliver', { id: `evt_${++made}`, body: poster.body }),
      )
      await all
      return perSecond(count, start)
    },
    async close() {
      await worker.close()
      await queue.close()
      await poster.close()
      await redis.stop()
    },
  }
}
