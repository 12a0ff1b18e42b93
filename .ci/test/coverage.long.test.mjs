import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { home } from '../packages.mjs'
import { judgeRows } from '../record/judge-rows.mjs'
import { allRows } from '../record/page.mjs'
import { runNamed } from '../record/run-named.mjs'

test('in the test of each row of COVERAGE.md what the row is about comes by', async () => {
  const page = readFileSync(join(home, 'reference-server/COVERAGE.md'), 'utf8')
  const rows = allRows(page).filter(({ needs }) => needs.length > 0)
  assert.ok(rows.length > 250, `${rows.length} rows`)
  const records = await runNamed(rows)
  assert.deepEqual(records.failed, [])
  assert.deepEqual(judgeRows(rows, records), [], 'name another test in the row, or mend the test')
})
