import { type Child, startChild } from '../child.ts'
import type { Answered, Given } from '../children/backlog.ts'
import { type Bench, inTurn, type Measure, median, rowOf } from '../figure.ts'

const few = 1_000
/** Of a long backlog, so that what is claimed ahead in these is little of the whole. */
const run = 5_000

function start({ stage }: Bench, pending: number): Promise<Child<null>> {
  const { ca, receiver } = stage
  const given: Given = { directory: stage.directory('backlog'), ca, url: receiver.https, pending }
  return startChild('backlog', given)
}

export const backlog: Measure = {
  figures: ['delivery.backlog.ratio', 'memory'],
  async run(bench) {
    const { rounds, backlog: many } = bench.scale
    bench.say(`  seeding ${many} pending deliveries`)
    const small = await start(bench, few)
    const large = await start(bench, many)
    const pair = async () => {
      // Both deliver as much, for what has been delivered leaves its mark on a heap as well.
      const ones = await inTurn(run / few, () => small.ask<Answered>(few))
      const other = await large.ask<Answered>(run)
      const of = (name: keyof Answered) => median(ones.map((one) => one[name]))
      return { one: { wallUs: of('wallUs'), cpuUs: of('cpuUs'), rssMb: of('rssMb') }, other }
    }
    await pair()
    const measured = await inTurn(rounds, pair)
    await Promise.all([small.stop(), large.stop()])
    const pending = `${many} pending over 100 endpoints of 20 tenants ÷ ${few}`
    return [
      rowOf(
        {
          figure: 'delivery.backlog.ratio',
          target: { is: 'most', reach: 1.3, aim: 1.1 },
          how: `wall time of one delivery (claim, post, settle; v1, https) from a start on, ${few} each or ${run}, ${pending}`,
        },
        measured.map(({ one, other }) => ({
          figure: other.wallUs / one.wallUs,
          manyWallUs: other.wallUs,
          fewWallUs: one.wallUs,
          manyCpuUs: other.cpuUs,
          fewCpuUs: one.cpuUs,
        })),
      ),
      rowOf(
        {
          figure: 'memory',
          target: { is: 'most', reach: 1.5, aim: 1.1 },
          how: `RSS of the delivering process, ${pending}`,
        },
        measured.map(({ one, other }) => ({
          figure: other.rssMb / one.rssMb,
          manyMb: other.rssMb,
          fewMb: one.rssMb,
        })),
      ),
    ]
  },
}
