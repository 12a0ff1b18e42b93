import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from './world.ts'

type Rows = {
  readonly rows: readonly { readonly reviewCaseId: string; readonly presentation?: unknown }[]
  readonly next: string | null
  readonly totalCount: number
}

test('the list of cases is read by cursor to its end, and no part of it twice', async () => {
  const world = await openWorld()
  try {
    const { admin } = world.home
    const ask = async (query: string) => {
      const path = `/v1/review-cases?${query}`
      return world.call({ host: 'portal', method: 'GET', path, as: admin })
    }
    const opened: string[] = []
    for (let n = 0; n < 5; n++) opened.push((await world.opened(world.home.app)).reviewCaseId)
    const told: string[] = []
    let after = ''
    for (let part = 0; part < 20; part++) {
      const answer = await ask(`limit=2${after}`)
      assert.equal(answer.status, 200, answer.text)
      const { rows, next } = JSON.parse(answer.text) as Rows
      assert.ok(rows.length <= 2)
      told.push(...rows.map(({ reviewCaseId }) => reviewCaseId))
      if (next === null) break
      after = `&after=${next}`
    }
    assert.equal(new Set(told).size, told.length)
    for (const id of opened) assert.ok(told.includes(id))
    for (const wrong of ['limit=0', 'limit=101', 'limit=x', 'limit=2&page=1', 'after=%00'])
      assert.equal((await ask(wrong)).status, 400, wrong)
  } finally {
    await world.close()
  }
})

test('rows of the case list carry a presentation where `include` asks for it', async () => {
  const world = await openWorld()
  try {
    await world.opened(world.home.app)
    const ask = (include: string) => {
      const path = `/v1/review-cases?limit=1${include}`
      return world.call({ host: 'portal', method: 'GET', path, as: world.home.admin })
    }
    const rowsOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as Rows).rows
    const bare = await ask('')
    const whole = await ask('&include=presentation')
    assert.deepEqual(
      rowsOf(bare).map((row) => 'presentation' in row),
      [false],
    )
    assert.equal(typeof rowsOf(whole)[0]?.presentation, 'object')
    assert.equal((await ask('&include=everything')).status, 400)
  } finally {
    await world.close()
  }
})
