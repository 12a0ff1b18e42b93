import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { drawPlan, run } from '../simulator/index.ts'

const seeds = [7, 9]
const main = fileURLToPath(new URL('../simulator/main.js', import.meta.url))
const index = new URL('../simulator/index.js', import.meta.url).href

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

async function transcript(seed: number): Promise<string> {
  const { log } = await run(drawPlan(seed), { keepLog: true })
  assert.ok(log.length > 20)
  return digest(log.join('\n'))
}

function ofOwnProcess(seed: number): string {
  const told = execFileSync(process.execPath, [main, '--seed', String(seed)], { encoding: 'utf8' })
  return digest(told.trimEnd())
}

/** In a thread that ran these seeds before. */
function ofThread(seed: number, before: readonly number[]): Promise<string> {
  const code = `
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(index)}).then(async ({ drawPlan, run }) => {
      for (const seed of ${JSON.stringify(before)}) await run(drawPlan(seed))
      const { log } = await run(drawPlan(${seed}), { keepLog: true })
      parentPort.postMessage(log.join('\\n'))
    })`
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true })
    worker.on('message', (text: string) => resolve(digest(text)))
    worker.on('error', reject)
  })
}

test('the same seed gives the same transcript, byte for byte, in any process and thread', async () => {
  const first: string[] = []
  for (const seed of seeds) first.push(await transcript(seed))
  assert.equal(new Set(first).size, seeds.length)
  // What ran before changes nothing: the second round comes in another order.
  for (const [at, seed] of [...seeds.entries()].reverse())
    assert.equal(await transcript(seed), first[at], `seed ${seed}, again`)
  for (const [at, seed] of seeds.entries())
    assert.equal(ofOwnProcess(seed), first[at], `seed ${seed}, a process of its own`)
  assert.equal(await ofThread(9, [7, 100]), first[1], 'seed 9, in a thread after others')
})

test('keeping a transcript changes nothing of the run', async () => {
  for (const seed of seeds) {
    const { log, ...kept } = await run(drawPlan(seed), { keepLog: true })
    const { log: none, ...plain } = await run(drawPlan(seed))
    assert.deepEqual(plain, kept)
    assert.ok(log.length > 0 && none.length === 0)
  }
})

test('npm run simulate draws plans of cases, sessions and organizations from a seed', () => {
  const flags = ['--seeds', '1', '--scenarios', '0', '--threads', '1', '--json']
  const told = execFileSync(process.execPath, [main, ...flags], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { runs, violations } = JSON.parse(told) as { runs: number; violations: number }
  assert.deepEqual([runs, violations], [3, 0])
})
