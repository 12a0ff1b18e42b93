import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { gatherEvidence } from '../../demo/evidence.ts'
import { until } from '../../demo/processes.ts'
import { scratchDirectory } from './scratch.ts'
import { openingOf, prepareStage, type StagedServer } from './stage.ts'

interface Disk {
  readonly fill: (server: StagedServer) => void
  readonly clear: (server: StagedServer) => void
}

/** Opens cases until the disk is full, then makes room, and looks at what there is in the end. */
async function throughAFullDisk(
  start: (directory: string) => Promise<{
    readonly server: StagedServer
    readonly evidence: () => ReturnType<typeof gatherEvidence>
  }>,
  { fill, clear }: Disk,
): Promise<void> {
  const { server, evidence } = await start(scratchDirectory())
  const acknowledged: string[] = []

  async function open(name: string): Promise<number> {
    const { status, body } = await server.application.ask(
      'POST',
      '/v1/review-cases',
      openingOf(name),
    )
    if (status === 200) acknowledged.push(String(body.reviewCaseId))
    else assert.equal(body.code, 'unavailable', JSON.stringify(body))
    return status
  }

  assert.equal(await open('before'), 200)
  fill(server)
  let refused = 0
  for (let round = 0; round < 400 && refused < 10; round++) {
    const status = await open(`full-${round}`)
    if (status !== 200) {
      assert.equal(status, 503)
      refused++
    }
  }
  assert.equal(refused, 10, 'the disk was never full')
  await until('the server to say that it is not ready', 5_000, async () => {
    const { status, body } = await readiness(server)
    return status === 503 && /^failed: /.test(String(body.store))
  })
  clear(server)
  await until('the server to take cases again', 5_000, async () => (await open('after')) === 200)
  await until(
    'the server to be ready again',
    5_000,
    async () => (await readiness(server)).status === 200,
  )
  assert.equal(await open('full-0'), 200, 'what was refused can be sent again')

  server.process.kill('SIGTERM')
  assert.equal(await server.exit, 0)
  const { cases, sent } = await evidence()
  const kept = new Set(cases.map(({ reviewCaseId }) => reviewCaseId))
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
    'acknowledged and not there',
  )
  assert.equal(kept.size, new Set(acknowledged).size, 'a refused case was kept')
  const told = sent
    .map(({ body }) => JSON.parse(new TextDecoder().decode(body)))
    .filter(({ type }) => type === 'review.case.created')
    .map(({ reviewCaseId }): string => reviewCaseId)
  assert.deepEqual(told.sort(), [...kept].sort(), 'each case has its event, and none is without')
}

async function readiness({ staff }: StagedServer) {
  const answer = await fetch(`${staff}/readyz`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

describe('a disk that is full', { skip: process.platform === 'win32' && 'no ulimit' }, () => {
  it('by its pages: 503, nothing by half, and back when there is room', () =>
    throughAFullDisk(
      async (directory) => {
        const stage = await prepareStage(directory)
        after(() => stage.end())
        const preload = new URL('./page-limit-preload.js', import.meta.url)
        return {
          server: await stage.start({ preload }),
          evidence: () => gatherEvidence(stage.setup),
        }
      },
      {
        fill: (server) => server.process.kill('SIGUSR2'),
        clear: (server) => server.process.kill('SIGUSR2'),
      },
    ))

  const noLimits = spawnSync('prlimit', ['--version']).error ? 'no prlimit' : false
  it('by the size of its files: the same', { skip: noLimits }, () =>
    throughAFullDisk(
      async (directory) => {
        const stage = await prepareStage(directory)
        after(() => stage.end())
        // The signal of a too large file would end the process before SQLite sees the error.
        const server = await stage.start({ shell: 'trap "" XFSZ' })
        return { server, evidence: () => gatherEvidence(stage.setup) }
      },
      {
        fill: (server) => limitFiles(server, String(1_500_000)),
        clear: (server) => limitFiles(server, 'unlimited'),
      },
    ),
  )
})

function limitFiles(server: StagedServer, size: string): void {
  execFileSync('prlimit', ['--pid', String(server.process.pid), `--fsize=${size}:unlimited`])
}
