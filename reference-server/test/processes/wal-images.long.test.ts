import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { answered } from '@countersign/core/testing'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { openEmbedded } from './embedded.ts'
import { scratchDirectory } from './scratch.ts'
import { digestOf, makeWalHistory, type WalHistory, webhooks } from './wal-history.ts'

const directory = scratchDirectory()

/** What lies behind the cut: nothing, bytes of something else, or zeros. */
const tails = ['cut', 'garbage', 'zeros'] as const
const tailLength = 20_000

describe('the write-ahead log as a power cut may leave it', () => {
  let history: WalHistory
  const file = join(directory, 'image.db')

  before(async () => {
    history = await makeWalHistory(join(directory, 'history.db'))
    const { states, wal } = history
    assert.ok(states.length > 8, `${states.length} commits`)
    assert.equal(new Set(states.map(({ digest }) => digest)).size, states.length)
    assert.equal(states.at(-1)?.end, wal.length)
  })

  function layDown(wal: Uint8Array): void {
    rmSync(`${file}-shm`, { force: true })
    writeFileSync(`${file}-wal`, wal)
  }

  /** How many commits the image has, or the error; a reader leaves the image as it is. */
  function commitsIn(wal: Uint8Array): number | 'unreadable' {
    layDown(wal)
    const db = new Database(file, { readonly: true })
    try {
      const digest = digestOf(db)
      const commits = history.states.findIndex((state) => state.digest === digest)
      assert.notEqual(commits, -1, `a state that never was: ${digest}`)
      const [messages, deliveries] = db
        .prepare('SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM deliveries)')
        .raw()
        .get() as [number, number]
      assert.equal(deliveries - noticesOfSeed, (messages - noticesOfSeed) * webhooks)
      return commits
    } catch (error) {
      if (error instanceof Database.SqliteError) return 'unreadable'
      throw error
    } finally {
      db.close()
    }
  }

  /** Each webhook was asked to verify itself before the history begins. */
  const noticesOfSeed = webhooks

  const whole = (bytes: number) => history.states.slice(1).filter(({ end }) => end <= bytes).length

  function image(at: number, tail: (typeof tails)[number]): Uint8Array {
    const { wal } = history
    if (tail === 'cut') return wal.subarray(0, at)
    const made = wal.slice(0, at + tailLength)
    for (let place = at; place < made.length; place++)
      made[place] = tail === 'zeros' ? 0 : (place * 167 + at * 13 + 41) & 255
    return made
  }

  /** Bytes that are as they were written: a zero that takes the place of a zero harms nothing. */
  function intact(made: Uint8Array, from: number): number {
    let at = from
    while (at < made.length && made[at] === history.wal[at]) at++
    return at
  }

  it('has a prefix of the commits, every whole one among them, in 10000 images', () => {
    writeFileSync(file, history.base)
    fc.assert(
      fc.property(fc.nat({ max: history.wal.length }), fc.constantFrom(...tails), (at, tail) => {
        const made = image(at, tail)
        assert.equal(commitsIn(made), whole(intact(made, at)))
      }),
      { numRuns: 10_000 },
    )
  })

  it('with one byte flipped has a prefix, or says that it can not be read', () => {
    writeFileSync(file, history.base)
    fc.assert(
      fc.property(
        fc.nat({ max: history.wal.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const made = history.wal.slice(0, at + tailLength)
          made[at] = (made[at] ?? 0) ^ flip
          const commits = commitsIn(made)
          if (commits === 'unreadable') assert.ok(at < 32, 'only the header of the log may do that')
          else assert.equal(commits, whole(at), 'nothing from the flipped frame on')
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('is taken up by the store, whose file is whole afterwards', async () => {
    const points = fc.sample(fc.nat({ max: history.wal.length }), 40)
    for (const [number, at] of points.entries()) {
      writeFileSync(file, history.base)
      const made = image(at, tails[number % tails.length] ?? 'cut')
      layDown(made)
      const { store } = openEmbedded({ file, transport: { post: async () => answered(200) } })
      const db = new Database(file, { readonly: true })
      assert.equal(digestOf(db), history.states[whole(intact(made, at))]?.digest)
      assert.equal(db.pragma('integrity_check', { simple: true }), 'ok')
      db.close()
      await store.close()
    }
  })
})
