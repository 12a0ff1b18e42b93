import { readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'
import type { Figures, Question } from './figures.ts'

// Threads load this module too; only the main thread serves requests.
if (isMainThread) measure()

function measure(): void {
  const everyMs = 10
  let rssBefore = 0
  let rssPeak = 0
  let atPeak = process.memoryUsage()
  let lagMs = 0
  let wall = performance.now()
  let cpu = usedMs()

  function look(): void {
    const waited = performance.now() - wall - everyMs
    // Time in which the machine gave the thread no core is not the server's: a loop that it holds itself uses CPU.
    lagMs = Math.max(lagMs, Math.min(waited, usedMs() - cpu))
    const rss = process.memoryUsage.rss()
    if (rss > rssPeak) {
      rssPeak = rss
      atPeak = process.memoryUsage()
    }
    wall = performance.now()
    cpu = usedMs()
  }

  async function begin(): Promise<void> {
    await growYoung()
    globalThis.gc?.()
    rssBefore = process.memoryUsage.rss()
    rssPeak = rssBefore
    atPeak = process.memoryUsage()
    lagMs = 0
    wall = performance.now()
    cpu = usedMs()
  }

  async function answer(question: Question): Promise<void> {
    if (question === 'begin') await begin()
    else look()
    process.send?.({ rssBefore, rssPeak, atPeak, lagMs } satisfies Figures)
  }

  setInterval(look, everyMs).unref()
  process.on('message', (question: Question) => {
    void answer(question)
  })
  // The channel alone keeps no server running.
  process.channel?.unref()
}

/**
 * Lets the young generation grow to the two semi-spaces that a flag of this process gives it, as any load does in time:
 * it is a cost of the flag and no growth of an attack. Nothing is done without the flag.
 */
async function growYoung(): Promise<void> {
  const flag = process.execArgv.find((each) => each.startsWith('--max-semi-space-size='))
  if (!flag) return
  const most = 2 * Number(flag.split('=')[1]) * 1024 * 1024
  const size = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
  // It grows by what survives.
  const kept: unknown[] = []
  for (let round = 0; size() < most && round < 200; round++) {
    kept[round % 8] = Array.from({ length: 50_000 }, (_, at) => ({ at, of: [round] }))
    await turn()
  }
}

/** CPU time in ms of the main thread where Linux tells it (proc(5), schedstat), of the whole process elsewhere. */
function usedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}
