import PgBoss from 'pg-boss'
import { inFlight } from '../ceiling.ts'
import { perSecond, rateOf } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { createPoster, type Peer } from './peer.ts'
import { startPostgres } from './servers.ts'

const name = 'deliver'

interface Job {
  readonly id: string
  readonly body: string
}

/** pg-boss: jobs are fetched in batches without its polling pause; the attempt is the job's output. */
export async function openPgBoss(stage: Stage): Promise<Peer> {
  const postgres = await startPostgres(stage.directory('postgres'))
  const boss = new PgBoss(`postgres://postgres@127.0.0.1:${postgres.port}/postgres`)
  boss.on('error', (error) => console.error(error.message))
  await boss.start()
  await boss.createQueue(name)
  const poster = createPoster(stage)
  const fetchers = 4
  let made = 0

  async function fetchUntil(isOver: () => boolean, done: () => void): Promise<void> {
    while (!isOver()) {
      const jobs = await boss.fetch<Job>(name, { batchSize: inFlight / fetchers })
      await Promise.all(
        jobs.map(async ({ id, data }) => {
          await boss.complete(name, id, await poster.post(data.id, data.body))
          done()
        }),
      )
    }
  }

  return {
    async run(count) {
      let left = count
      const start = performance.now()
      const sent = rateOf(count, 64, () =>
        boss.send(name, { id: `evt_${++made}`, body: poster.body }),
      )
      const over = () => left === 0
      const done = () => {
        left--
      }
      await Promise.all([sent, ...Array.from({ length: fetchers }, () => fetchUntil(over, done))])
      return perSecond(count, start)
    },
    async close() {
      await boss.stop({ graceful: false })
      await poster.close()
      await postgres.stop()
    },
  }
}
