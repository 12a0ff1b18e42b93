import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePorts, programFile } from '../../demo/processes.ts'
import { prepareLocal } from '../../local.ts'
import { type Bench, inTurn, type Measure, rowOf } from '../figure.ts'

/** Ms from spawning a program until it says that it is ready. */
async function startOf(begin: () => ChildProcess): Promise<number> {
  const start = performance.now()
  const child = begin()
  const exited = once(child, 'exit')
  const message = once(child, 'message').then(([said]) => said as unknown)
  const said = await Promise.race([message, exited.then(([code]) => `ended with code ${code}`)])
  const ms = performance.now() - start
  child.kill('SIGKILL')
  await exited
  if (said !== 'ready') throw new Error(`a program that starts said ${JSON.stringify(said)}`)
  return ms
}

async function rounds({ stage, scale }: Bench) {
  const [ingest = 0, portal = 0, staff = 0] = await freePorts(3)
  const ports = { ingest, portal, staff, receiver: 0 }
  const setup = await prepareLocal(stage.directory('start'), ports, Date.now())
  const env = { PATH: process.env.PATH ?? '', ...setup.environment, COUNTERSIGN_LOG_LEVEL: 'error' }
  const bareFile = fileURLToPath(new URL('../children/bare-start.js', import.meta.url))
  const directory = stage.directory('bare-start')
  // As `npm start` and the demo run it.
  const own = () =>
    startOf(() => fork(programFile('serve'), { env, execArgv: ['--enable-source-maps'] }))
  const bare = () => startOf(() => fork(bareFile, [directory]))
  await own()
  await bare()
  return inTurn(scale.rounds * 2, async () => {
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
