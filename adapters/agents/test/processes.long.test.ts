import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { entries } from './entries.ts'
import { openWorld, type World } from './world.ts'

const program = fileURLToPath(new URL('agent-process.js', import.meta.url))

describe('agents that are killed', () => {
  let world: World
  let directory: string
  let count = 0
  before(async () => {
    world = await openWorld()
    directory = mkdtempSync(join(tmpdir(), 'agents-'))
  })
  after(() => {
    world.end()
    rmSync(directory, { recursive: true, force: true })
  })

  function start(name: string, session: string, home: string, hold = ''): ChildProcess {
    const given = [program, name, home, session, JSON.stringify(world.told), hold]
    return spawn(process.execPath, given, { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  async function kill(agent: ChildProcess): Promise<void> {
    const ended = once(agent, 'exit')
    agent.kill('SIGKILL')
    await ended
  }

  const linesOf = (file: string) =>
    existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []

  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await pause(30)
  }

  for (const [name, { stepwise }] of Object.entries(entries)) {
    it(`${name}: while people look, its cases are found again`, async () => {
      const [session, home] = [`killed-${++count}`, mkdtempSync(join(directory, 'a-'))]
      const first = start(name, session, home)
      const opened = stepwise ? 1 : 2
      await until(async () => (await world.casesOf(session)).length >= opened)
      await kill(first)
      const reviewer = world.review(session, () => ({ decision: 'approved' }))
      const [code] = await once(start(name, session, home), 'exit')
      await reviewer.stop()
      assert.equal(code, 0)
      assert.deepEqual(linesOf(join(home, 'paid')).sort(), ['5', '7'])
      assert.equal((await world.casesOf(session)).length, 2)
    })

    it(`${name}: between claim and action, it is not done twice, and told`, async () => {
      const [session, home] = [`killed-${++count}`, mkdtempSync(join(directory, 'b-'))]
      const reviewer = world.review(session, () => ({ decision: 'approved' }))
      const first = start(name, session, home, 'hold')
      await until(() => linesOf(join(home, 'begun')).length > 0)
      await kill(first)
      const [code] = await once(start(name, session, home), 'exit')
      await reviewer.stop()
      assert.equal(code, 0)
      assert.equal(linesOf(join(home, 'paid')).filter((each) => each === '5').length, 0)
      assert.ok(linesOf(join(home, 'paid')).length <= 1)
      assert.match(readFileSync(join(home, 'heard'), 'utf8'), /not known whether it was done/)
      assert.equal((await world.casesOf(session)).length, 2)
    })
  }
})
