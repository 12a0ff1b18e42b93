import { freePorts } from '../../demo/processes.ts'
import { prepareLocal } from '../../local.ts'
import { startChild } from '../child.ts'
import { type Bench, inTurn, type Measure, rowOf } from '../figure.ts'

async function startsIn(name: string, given: unknown): Promise<number> {
  const child = await startChild(name, given)
  await child.stop()
  return child.startMs
}

async function rounds({ stage, scale }: Bench) {
  const [ingest = 0, portal = 0, staff = 0] = await freePorts(3)
  const ports = { ingest, portal, staff, receiver: 0 }
  const setup = await prepareLocal(stage.directory('start'), ports, Date.now())
  const environment = { ...setup.environment, COUNTERSIGN_LOG_LEVEL: 'error' }
  const directory = stage.directory('bare-start')
  const own = () => startsIn('start', environment)
  const bare = () => startsIn('bare-koa', { directory })
  await own()
  await bare()
  return inTurn(scale.rounds, async () => {
    const ownMs = await own()
    const bareMs = await bare()
    return { figure: ownMs / bareMs, ownMs, bareMs }
  })
}

export const start: Measure = {
  figures: ['startMs'],
  run: async (bench) => [
    rowOf(
      {
        figure: 'startMs',
        target: { is: 'most', reach: 2.5, aim: 1.5 },
        how: 'from spawn to three open listeners (two of them https) on an existing database ÷ bare Koa and better-sqlite3, plain http',
      },
      await rounds(bench),
    ),
  ],
}
