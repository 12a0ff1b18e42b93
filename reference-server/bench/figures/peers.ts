import { inFlight } from '../ceiling.ts'
import { type Bench, inTurn, type Measure, missing, type Row, rowOf } from '../figure.ts'
import { openOutbox } from '../outbox-path.ts'
import { openBullmq } from '../peers/bullmq.ts'
import { type Peer, Unavailable } from '../peers/peer.ts'
import { openPgBoss } from '../peers/pg-boss.ts'
import { openPlainjob } from '../peers/plainjob.ts'
import type { Stage } from '../stage.ts'
import type { Path } from './delivery.ts'

const peers: readonly {
  readonly name: string
  readonly what: string
  open(stage: Stage): Promise<Peer>
}[] = [
  { name: 'plainjob', what: 'plainjob on better-sqlite3, FULL', open: openPlainjob },
  { name: 'bullmq', what: 'BullMQ on Redis, appendfsync always', open: openBullmq },
  { name: 'pgBoss', what: 'pg-boss on PostgreSQL, its defaults', open: openPgBoss },
]

const aboutOf = (name: string, what: string) =>
  ({
    figure: `delivery.peers.${name}`,
    target: { is: 'least', reach: 2, aim: 4 },
    how: `a message queued durably, signed with v1, posted, its attempt recorded durably: our outbox ÷ ${what} with undici; https, ${inFlight} in flight, messages a second`,
  }) as const

async function against(
  bench: Bench,
  ours: Path,
  { name, what, open }: (typeof peers)[number],
): Promise<Row> {
  const about = aboutOf(name, what)
  if (bench.scale.quick) return missing(about, 'left out by --quick')
  let opened: Peer | undefined
  try {
    const peer = await open(bench.stage)
    opened = peer
    const pace = await peer.run(200)
    // A few seconds a round, however slow the peer is.
    const count = Math.min(2_000, Math.max(100, Math.round(pace * 3)))
    const measured = await inTurn(bench.scale.rounds, async () => {
      const theirs = await peer.run(count)
      const { rate } = await ours.run(2_000)
      const other = (theirs + (await peer.run(count))) / 2
      return { figure: rate / other, oursPerSecond: rate, theirsPerSecond: other }
    })
    return rowOf(about, measured)
  } catch (error) {
    if (error instanceof Unavailable) return missing(about, error.message)
    bench.say(String(error))
    return missing(about, `failed: ${error instanceof Error ? error.message : error}`)
  } finally {
    await opened?.close()
  }
}

export const peering: Measure = {
  figures: peers.map(({ name }) => `delivery.peers.${name}`),
  async run(bench) {
    const ours = await openOutbox(bench)
    await ours.run(1_000)
    const rows: Row[] = []
    for (const peer of peers) rows.push(await against(bench, ours, peer))
    await ours.close()
    return rows
  },
}
