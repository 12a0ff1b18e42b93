import assert from 'node:assert/strict'
import { execFileSync, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { nativePrimitives } from '@countersign/node/crypto'
import { createTestSigner, sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { request } from 'undici'
import { ownPorts } from '../own-ports.ts'
import { endProcess } from './end-process.ts'
import { scratchDirectory } from './scratch.ts'
import { openingOf, prepareStage, type Stage } from './stage.ts'

const directory = scratchDirectory()
const source = fileURLToPath(new URL('../../../test/processes/watch-syncs.c', import.meta.url))
const library = join(directory, 'watch-syncs.so')
const rounds = 40

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'LD_PRELOAD is of Linux'
  return spawnSync('cc', ['--version']).error ? 'no C compiler' : false
}

/**
 * Answers of 2xx, one request after another, before which nothing was written and then synced since the answer before.
 * What others write meanwhile (a delivery's record) may stand between a sync and its answer.
 */
function tooEarly(trace: string): number {
  return trace
    .split('a')
    .slice(0, -1)
    .filter((part) => !/w.*s/.test(part)).length
}

describe('between a commit and its 2xx', { skip: whyNot() }, () => {
  let stage: Stage

  before(async () => {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
    stage = await prepareStage(directory)
  })

  after(() => stage.end())

  /** What the server did while it acknowledged so many openings, one after another. */
  async function traceOfServer(name: string, preload?: URL): Promise<string> {
    const file = join(directory, name)
    const server = await stage.start({
      environment: { LD_PRELOAD: library, WATCH_SYNCS: file },
      ...(preload && { preload }),
    })
    const started = readFileSync(file, 'latin1').length
    for (let round = 0; round < rounds; round++) {
      const { status } = await server.application.ask(
        'POST',
        '/v1/review-cases',
        openingOf(`${name}-${round}`),
      )
      assert.equal(status, 200)
    }
    const trace = readFileSync(file, 'latin1').slice(started)
    await endProcess(server.process)
    return trace
  }

  it('the server syncs, for every acknowledgement', async () => {
    const trace = await traceOfServer('server')
    assert.equal(trace.match(/a/g)?.length, rounds)
    assert.equal(tooEarly(trace), 0, trace)
  })

  it('a server that does not sync is found out', async () => {
    const lax = new URL('./lax-preload.js', import.meta.url)
    assert.ok(tooEarly(await traceOfServer('lax', lax)) > rounds / 2)
  })

  it('the receiver syncs, for every event', async () => {
    const file = join(directory, 'receiver')
    const [port = 0] = await ownPorts(1)
    const signer = createTestSigner({ primitives: nativePrimitives })
    const receiver = fork(
      new URL('./plain-receiver.js', import.meta.url),
      [join(directory, 'inbox.db'), String(port), signer.key],
      { execArgv: [], env: { ...process.env, LD_PRELOAD: library, WATCH_SYNCS: file } },
    )
    await once(receiver, 'message')
    const started = readFileSync(file, 'latin1').length
    for (let round = 0; round < rounds; round++) {
      const { headers, body } = signer.sign({ ...sampleReviewEvent(), id: `evt_${round}` })
      const answer = await request(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
      await answer.body.dump()
      assert.equal(answer.statusCode, 204)
    }
    const trace = readFileSync(file, 'latin1').slice(started)
    await endProcess(receiver)
    assert.equal(trace.match(/a/g)?.length, rounds)
    assert.equal(tooEarly(trace), 0, trace)
  })
})
