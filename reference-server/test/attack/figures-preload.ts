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
  let cpu = process.cpuUsage()

  function look(): void {
    const waited = performance.now() - wall - everyMs
    const { user, system } = process.cpuUsage(cpu)
    // Time in which the machine gave the process no core is not the server's: a loop that it holds itself uses CPU.
    lagMs = Math.max(lagMs, Math.min(waited, (user + system) / 1_000))
    const rss = process.memoryUsage.rss()
    if (rss > rssPeak) {
      rssPeak = rss
      atPeak = process.memoryUsage()
    }
    wall = performance.now()
    cpu = process.cpuUsage()
  }

  function begin(): void {
    globalThis.gc?.()
    rssBefore = process.memoryUsage.rss()
    rssPeak = rssBefore
    atPeak = process.memoryUsage()
    lagMs = 0
    wall = performance.now()
    cpu = process.cpuUsage()
  }

  setInterval(look, everyMs).unref()
  process.on('message', (question: Question) => {
    if (question === 'begin') begin()
    else look()
    process.send?.({ rssBefore, rssPeak, atPeak, lagMs } satisfies Figures)
  })
  // The channel alone keeps no server running.
  process.channel?.unref()
}
