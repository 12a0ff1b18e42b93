import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { format, lint, types } from '../gates/tools.mjs'
import { home } from '../packages.mjs'
import { plant, plantFiles, plantProject } from './plant.mjs'

const output = (findings) => findings.map((finding) => finding.output).join('\n')

test('types: a project that compiles has no finding, a wrong type is named across packages', (t) => {
  assert.equal(output(types(plantProject(t))), '')
  const wrong = plantProject(t, {
    'app/index.ts': "import { send } from '@countersign/core'\n\nawait send('closed')\n",
  })
  assert.match(output(types(wrong)), /app\/index\.ts.*TS2345/)
})

test('lint: a promise of another package that floats, a callback that forgets one, a switch that lacks a case', (t) => {
  const root = plantProject(t)
  types(root)
  assert.equal(output(lint(root)), '')

  writeFileSync(
    join(root, 'app/index.ts'),
    `import { type Step, send } from '@countersign/core'

export function isOpen(step: Step): boolean {
  switch (step) {
    case 'open':
      return true
    case 'decided':
      return false
  }
  return false
}
send('open')
;['open' as const].forEach(async (step) => {
  await send(step)
})
`,
  )
  const { FORCE_COLOR } = process.env
  process.env.FORCE_COLOR = '3'
  const printed = output(lint(root))
  if (FORCE_COLOR === undefined) delete process.env.FORCE_COLOR
  else process.env.FORCE_COLOR = FORCE_COLOR
  assert.match(printed, /switch-exhaustiveness-check.*"expired"\n.*app\/index\.ts:4:/)
  assert.match(printed, /no-floating-promises.*\n.*app\/index\.ts:12:/)
  assert.match(printed, /no-misused-promises.*\n.*app\/index\.ts:13:/)
})

test('format: a file that is not formatted is named, and so is one with a warning', (t) => {
  assert.equal(output(format(plantFiles(t, { 'x.ts': "export const x = '1'\n" }))), '')
  const root = plantFiles(t, {
    'wide.ts': 'export   const x = "1";\n',
    'warned.ts': 'export const y = (x: string | null) => x!.length\n',
  })
  assert.match(output(format(root)), /^wide\.ts format/m)
  assert.match(output(format(root)), /^warned\.ts:1:\d+ lint/m)
})

test('build --stale: removes what a deleted source left, makes a missing output again, keeps the rest', (t) => {
  const root = plantProject(t, { 'app/old.ts': 'export const old = 1\n' })
  assert.equal(output(types(root)), '')
  const dist = (file) => join(root, 'app/dist', file)
  assert.ok(existsSync(dist('old.js')))

  rmSync(join(root, 'app/old.ts'))
  writeFileSync(dist('asset.js'), 'not of the compiler')
  assert.equal(output(types(root)), '')
  assert.deepEqual(
    ['old.js', 'old.d.ts', 'asset.js', 'index.js'].filter((file) => existsSync(dist(file))),
    ['asset.js', 'index.js'],
  )

  rmSync(dist('index.js'))
  rmSync(join(root, 'core/dist/index.d.ts'))
  assert.equal(output(types(root)), '')
  assert.ok(existsSync(dist('index.js')) && existsSync(join(root, 'core/dist/index.d.ts')))
})

const check = (...args) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(home, '.ci/check.mjs'), ...args],
    { encoding: 'utf8' },
  )
  return { status, text: `${stdout}${stderr}` }
}

test('check: names gate, file, line and rule, and ends with 1', (t) => {
  const root = plant(t, {
    'core/review/x.ts': "import { x } from '../testing/clock.ts'\n",
    'core/Case.ts': '',
  })
  const { status, text } = check('--root', root, 'walls', 'sources')
  assert.equal(status, 1)
  assert.match(text, /✗ walls .*1 finding/)
  assert.match(text, /core\/review\/x\.ts:1 {2}room wall\n/)
  assert.match(text, /core\/Case\.ts {2}file name\n/)
  assert.match(text, /check failed: walls, sources/)
  assert.equal(check('--root', plant(t), 'walls', 'sources').status, 0)
})

test('check: does not run what needs a build when there is none', (t) => {
  const root = plantProject(t, { 'app/index.ts': 'export const x: string = 1\n' })
  const { status, text } = check('--root', root, 'types', 'lint', 'exports')
  assert.equal(status, 1)
  assert.match(text, /✗ types[\s\S]*TS2322/)
  assert.match(text, /- lint +not run: it needs types/)
  assert.match(text, /- exports +not run: it needs types/)
})

test('check: a gate of another name is refused', () => {
  assert.deepEqual(check('wals'), {
    status: 2,
    text: 'no such gate: wals; there are types, lint, format, walls, sources, citations, surface, operations, exports\n',
  })
})
