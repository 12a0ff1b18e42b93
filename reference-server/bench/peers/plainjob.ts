import { join } from 'node:path'
import Database from 'better-sqlite3'
import { better, defineQueue, defineWorker } from 'plainjob'
import { inFlight } from '../ceiling.ts'
import { perSecond } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { createPoster, type Peer } from './peer.ts'

const quiet = { error: console.error, warn: () => {}, info: () => {}, debug: () => {} }

/** plainjob on better-sqlite3; a worker takes one job at a time, so there are as many as we have in flight. */
export async function openPlainjob(stage: Stage): Promise<Peer> {
  const db = new Database(join(stage.directory('plainjob'), 'queue.db'))
  const queue = defineQueue({ connection: better(db), logger: quiet })
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE attempts (id TEXT PRIMARY KEY, record TEXT)')
  const log = db.prepare('INSERT INTO attempts VALUES (?, ?)')
  const poster = createPoster(stage)
  let left = 0
  let ended = () => {}
  const work = async ({ data }: { data: string }) => {
    const { id, body } = JSON.parse(data)
    log.run(id, JSON.stringify(await poster.post(id, body)))
  }
  const workers = Array.from({ length: inFlight }, () =>
    defineWorker('deliver', work, {
      queue,
      logger: quiet,
      pollIntervall: 1,
      onCompleted: () => {
        if (--left === 0) ended()
      },
    }),
  )
  for (const worker of workers) void worker.start()
  let made = 0
  return {
    async run(count) {
      left = count
      const start = performance.now()
      const all = new Promise<void>((resolve) => {
        ended = resolve
      })
      for (let at = 0; at < count; at++) {
        queue.add('deliver', { id: `evt_${++made}`, body: poster.body })
        // Commands come one by one: between them the workers have their turns.
        if (at % 16 === 15) await new Promise(setImmediate)
      }
      await all
      return perSecond(count, start)
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()))
      queue.close()
      await poster.close()
    },
  }
}
