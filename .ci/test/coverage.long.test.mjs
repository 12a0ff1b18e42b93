import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { home } from '../packages.mjs'
import { judgeRows } from '../record/judge-rows.mjs'
import { allRows } from '../record/page.mjs'
import { drawnRows, runNamed } from '../record/run-named.mjs'

const { COUNTERSIGN_PROVE: whole } = process.env

/** Without calls of a route in this run it is not known which operations of the core are behind it. */
const isJudged = ({ needs }, { handlers }) =>
  whole ||
  needs.every((need) => !need.startsWith('route ') || handlers.has(need.slice('route '.length)))

test('in the test of each row of COVERAGE.md what the row is about comes by', async () => {
  const page = readFileSync(join(home, 'reference-server/COVERAGE.md'), 'utf8')
  const rows = allRows(page).filter(({ needs }) => needs.length > 0)
  assert.ok(rows.length > 250, `${rows.length} rows`)
  const drawn = drawnRows(rows)
  const records = await runNamed(drawn)
  assert.deepEqual(records.failed, [])
  const judged = drawn.filter((row) => isJudged(row, records))
  console.log(`${judged.length} of ${rows.length} rows are judged`)
  assert.ok(judged.length > rows.length / 4, `${judged.length} of ${rows.length} rows`)
  assert.deepEqual(judgeRows(judged, records), [], 'name another test in the row, or mend the test')
})
