import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mapComments } from '../map-comments.mjs'

test('comments that name source maps are taken out and put back as they were', (t) => {
  const dist = mkdtempSync(join(tmpdir(), 'map-comments-'))
  t.after(() => rmSync(dist, { recursive: true }))
  mkdirSync(join(dist, 'below'))
  const files = {
    'a.js': 'export const a = 1;\n//# sourceMappingURL=a.js.map',
    'a.js.map': '{}',
    'below/a.d.ts': 'export declare const a = 1;\n//# sourceMappingURL=a.d.ts.map',
    'below/a.d.ts.map': '{}',
    'bare.js': "export const text = '//# sourceMappingURL=none.js.map';\n",
    'readme.txt': 'x\n//# sourceMappingURL=x.js.map',
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dist, path), text)
  const now = () =>
    Object.fromEntries(
      Object.keys(files).map((path) => [path, readFileSync(join(dist, path), 'utf8')]),
    )
  for (let twice = 0; twice < 2; twice++) mapComments(dist, 'strip')
  assert.deepEqual(now(), {
    ...files,
    'a.js': 'export const a = 1;\n',
    'below/a.d.ts': 'export declare const a = 1;\n',
  })
  for (let twice = 0; twice < 2; twice++) mapComments(dist, 'restore')
  assert.deepEqual(now(), files)
})
