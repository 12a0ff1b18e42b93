import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store } from '@countersign/core/ports'
import { sessions, steps } from '../../../content/records.ts'
import { type Faults, type Ingested, ingestedWorld } from './ingested.ts'
import { day, hour, readable } from './world.ts'

const trace = 7
/** More than the pieces in which steps move. */
const many = 201

/** A session that nobody named, of so many steps; complete, and to be removed for its age by the next look. */
async function agedWorld(count: number, faults: Faults = {}): Promise<Ingested> {
  const w = await ingestedWorld(faults)
  for (let at = 0; at < count; at++)
    await w.send({ sessionId: null, trace, at, text: `unnamed ${at}` })
  await w.rest()
  w.clock.jump(8 * day)
  // A look goes by the clock of the one before as well.
  for (let look = 0; look < 2; look++) {
    await w.work()
    w.clock.jump(hour + 1)
  }
  return w
}

async function assertAllReadable(w: Ingested, when: string): Promise<void> {
  const lines = await readable(w.process, w.tenantId)
  for (const { row } of w.store.rows(steps)) {
    const line = `${row.sessionId} ${row.stepId} input: `
    assert.ok(
      lines.some((each) => each.startsWith(line)),
      `${when}: ${row.stepId} of ${row.sessionId} can't be read`,
    )
  }
}

/** Runs the case at every commit until one at which all was done. */
async function atEveryCommit(run: (commits: number) => Promise<boolean>): Promise<number> {
  for (let commits = 1; ; commits++) if (await run(commits)) return commits
}

describe('a session that goes for its age while its trace gets its name late', () => {
  it('leaves no step that cannot be read, whenever the name comes', async () => {
    const last = await atEveryCommit(async (commits) => {
      const w = await agedWorld(2)
      const isDone = await w.work(commits)
      await w.send({ sessionId: 'named', trace, text: 'named' })
      for (let time = 0; time < 3; time++) await w.rest()
      await assertAllReadable(w, `named after ${commits} commits`)
      assert.deepEqual(
        w.store.rows(sessions).map(({ row }) => row.sessionId),
        ['named'],
      )
      return isDone
    })
    assert.ok(last > 3, 'the removal was not met')
  })

  it('leaves no step that cannot be read, whenever a move of its steps stops', async () => {
    let halfMoved = 0
    await atEveryCommit(async (commits) => {
      const w = await agedWorld(many)
      await w.send({ sessionId: 'named', trace, text: 'named' })
      const isDone = await w.work(commits)
      const kept = w.store.rows(steps).filter(({ row }) => row.sessionId !== 'named').length
      if (kept > 0 && kept < many) halfMoved++
      for (let time = 0; time < 3; time++) await w.rest()
      await assertAllReadable(w, `stopped after ${commits} commits`)
      return isDone
    })
    assert.ok(halfMoved > 0, 'no move was met')
  })

  it('leaves no step that cannot be read, when its move begins as its removal does', async () => {
    let halfMoved = 0
    await atEveryCommit(async (commits) => {
      let meanwhile: (() => Promise<void>) | null = null
      const commit =
        (store: Store): Store['commit'] =>
        async (set) => {
          const begins = set.puts?.some(({ row }) => 'removing' in row && row.removing)
          const run = begins ? meanwhile : null
          if (run) {
            meanwhile = null
            await run()
          }
          return store.commit(set)
        }
      const w = await agedWorld(many, {
        ports: (ports) => ({ ...ports, store: { ...ports.store, commit: commit(ports.store) } }),
      })
      let isDone = false
      meanwhile = async () => {
        await w.send({ sessionId: 'named', trace, text: 'named' })
        isDone = await w.work(commits)
        const kept = w.store.rows(steps).filter(({ row }) => row.sessionId !== 'named').length
        if (kept > 0 && kept < many) halfMoved++
      }
      await w.work()
      for (let time = 0; time < 3; time++) await w.rest()
      assert.equal(meanwhile, null, 'nothing was raced with')
      await assertAllReadable(w, `moved by ${commits} commits`)
      return isDone
    })
    assert.ok(halfMoved > 0, 'no move was met')
  })

  it('is moved whole where its move began before', async () => {
    const w = await agedWorld(many)
    await w.send({ sessionId: 'named', trace, text: 'named' })
    for (let time = 0; time < 3; time++) await w.rest()
    assert.equal(w.store.rows(steps).length, many + 1)
    await assertAllReadable(w, 'in the end')
  })
})
