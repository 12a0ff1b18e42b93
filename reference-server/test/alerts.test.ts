import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './readme-blocks.ts'

const read = (path: string) => readFileSync(join(root, 'reference-server', path), 'utf8')
const rules = read('deploy/prometheus-rules.yaml').replaceAll(/^ *#.*\n/gm, '')

/** Each alert's expression, on one line, by its title. */
const alerts = new Map(
  rules
    .split('- alert: ')
    .slice(1)
    .map((rule) => {
      const [, expression = ''] = /expr: (.*?)\n {8}(?:for|labels):/s.exec(rule) ?? []
      const [, title = ''] = /summary: (.*) \}/.exec(rule) ?? []
      return [title, expression.replace('>-', '').replaceAll(/\s+/g, ' ').trim()] as const
    }),
)

test('the rules alert under the titles of the runbook, by its expressions', () => {
  const rows = [...read('RUNBOOK.md').matchAll(/^\| ([^|]*) \| ([^|]*) \|/gm)]
    .map(([, title = '', when = '']) => ({ title, when }))
    .filter(({ when }) => when.includes('countersign_'))
  assert.deepEqual(
    rows.map(({ title }) => title),
    [...alerts.keys()],
  )
  for (const { title, when } of rows)
    for (const [, code = ''] of when.matchAll(/`([^`]*)`/g))
      assert.ok(alerts.get(title)?.includes(code.replace(/_seconds$/, '_seconds_bucket')), title)
})

test('the rules ask for metrics that there are', () => {
  const rows = read('README.md').matchAll(/^\| `(countersign_[a-z_]+)` \|/gm)
  const known = new Set([...rows].map(([, name = '']) => name))
  const asked = [...rules.matchAll(/\bcountersign_[a-z_]+/g)]
  assert.ok(asked.length > 10)
  for (const [name] of asked) assert.ok(known.has(name.replace(/_bucket$/, '')), name)
})
