import assert from 'node:assert/strict'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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

test('whoever reads a module meanwhile has the whole of one text', (t) => {
  const dist = mkdtempSync(join(tmpdir(), 'map-comments-'))
  t.after(() => rmSync(dist, { recursive: true }))
  const file = join(dist, 'a.js')
  const mapped = 'export const a = 1;\n//# sourceMappingURL=a.js.map'
  writeFileSync(file, mapped)
  writeFileSync(`${file}.map`, '{}')
  for (const [act, before, after] of [
    ['strip', mapped, 'export const a = 1;\n'],
    ['restore', 'export const a = 1;\n', mapped],
  ]) {
    const opened = openSync(file)
    mapComments(dist, act)
    assert.equal(readFileSync(opened, 'utf8'), before)
    closeSync(opened)
    assert.equal(readFileSync(file, 'utf8'), after)
  }
  assert.deepEqual(readdirSync(dist).sort(), ['a.js', 'a.js.map'])
})
