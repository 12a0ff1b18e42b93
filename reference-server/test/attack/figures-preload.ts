import { openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import type { Figures, Question } from './figures.ts'

// A buffer for each reading of `readFileSync` would be 20 MiB of what is measured.
const line = Buffer.alloc(64)
const schedule = openSchedule()

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
  let cpuBefore = cpu

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

  function begin(): void {
    growYoungGeneration()
    globalThis.gc?.()
    rssBefore = process.memoryUsage.rss()
    rssPeak = rssBefore
    atPeak = process.memoryUsage()
    lagMs = 0
    wall = performance.now()
    cpu = usedMs()
    cpuBefore = cpu
  }

  setInterval(look, everyMs).unref()
  process.on('message', (question: Question) => {
    if (question === 'begin') begin()
    else look()
    process.send?.({ rssBefore, rssPeak, atPeak, lagMs, usedMs: cpu - cpuBefore } satisfies Figures)
  })
  // The channel alone keeps no server running.
  process.channel?.unref()
}

/**
 * Any traffic grows the young generation to its full size, 32 MiB, and a quiet second shrinks it: a beginning after one
 * would count that as the attack's.
 */
function growYoungGeneration(): void {
  // What outlives one collection and not two makes V8 grow it.
  const held: unknown[] = []
  for (let at = 0; at < 300_000; at++) held[at % 2_048] = Array(128).fill(at)
}

/** CPU time in ms of the main thread where Linux tells it (proc(5), schedstat), of the whole process elsewhere. */
function usedMs(): number {
  if (schedule === null) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
  const length = readSync(schedule, line, 0, line.length, 0)
  return Number(line.toString('latin1', 0, length).split(' ')[0]) / 1e6
}

function openSchedule(): number | null {
  try {
    return openSync('/proc/self/schedstat', 'r')
  } catch {
    return null
  }
}
