import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Hold, holds, type ProcessArguments, playAgent } from './agent-process.ts'
import type { Disk, Entry } from './play.ts'
import type { Shown, World } from './world.ts'

/** An entry, and the program that plays it in a process of its own. */
interface KilledEntry<D extends Disk> {
  readonly name: string
  readonly entry: Entry<D>
  diskIn(directory: string): D
  /** Path of a program that calls `runAgentProcess`. */
  readonly program: string
}

/** Where agents are killed by SIGKILL: while people look, and at each step of a call. */
const steps = ['while people look', ...holds] as const

/**
 * What holds of agents that are killed at any step and started again: each payment is made at most once, under an approval
 * of its own, and one that may not have been made is told.
 */
export function killedCases<D extends Disk>(
  world: () => World,
  { name, entry, diskIn, program }: KilledEntry<D>,
): Readonly<Record<string, () => Promise<void>>> {
  return Object.fromEntries(steps.map((step) => [step, () => killedAt(step)]))

  function start(given: Omit<ProcessArguments, 'name' | 'told'>): ChildProcess {
    const told = world().told
    return spawn(process.execPath, [program, JSON.stringify({ ...given, name, told })], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  async function killedAt(step: (typeof steps)[number]): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), 'killed-agent-'))
    const sessionId = `killed ${name} ${step}`
    const linesOf = (file: string) => {
      const path = join(directory, file)
      return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
    }
    const first = step === 'while people look' ? null : step
    const agent = start({ directory, sessionId, hold: first })
    const approved = (_: Shown) => ({ decision: 'approved' }) as const
    const reviewer = first && first !== 'asking' ? world().review(sessionId, approved) : null
    if (first) while (linesOf('held').length === 0) await pause(20)
    else await world().opened(sessionId, entry.stepwise ? 1 : 2)
    const ended = once(agent, 'exit')
    agent.kill('SIGKILL')
    await ended
    await reviewer?.stop()

    const before = linesOf('paid')
    const again = world().review(sessionId, approved)
    // Of the agent that was killed, its directory alone is known here: another process would know no more.
    const restarted = { directory, sessionId, told: world().told, hold: null }
    const heard = await playAgent(entry, diskIn(directory), restarted).finally(() => again.stop())
    judge(first, before, linesOf('paid'), heard)
    const cases = await world().casesOf(sessionId)
    const spent = cases.filter(({ continuation }) => continuation !== null)
    // One approval is of one payment at most.
    assert.ok(linesOf('paid').length <= spent.length)
    if (!entry.byContent) assert.equal(cases.length, 2)
    rmSync(directory, { recursive: true, force: true })
  }

  function judge(
    step: Hold | null,
    before: readonly string[],
    paid: readonly string[],
    heard: string,
  ): void {
    // Nothing was spent yet: both are made.
    if (step === null || step === 'asking' || step === 'claiming') {
      assert.deepEqual([...paid].sort(), ['5', '7'])
      return
    }
    // Calls without ids are asked for anew, and approved anew.
    if (entry.byContent) {
      for (const amount of ['5', '7']) assert.ok(paid.includes(amount))
      return
    }
    assert.equal(new Set(paid).size, paid.length, `paid twice: ${paid}`)
    if (step !== 'acted') assert.deepEqual(before, [])
    const lost = ['5', '7'].filter((amount) => !paid.includes(amount))
    if (step !== 'acted') assert.ok(lost.length > 0)
    // What was made before the end is not known to be done either.
    if (lost.length > 0 || before.length > 0) assert.match(heard, /not known whether it was done/)
  }
}
