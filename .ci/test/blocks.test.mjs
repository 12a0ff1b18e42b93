import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import test from 'node:test'
import Database from 'better-sqlite3'
import { transform } from 'esbuild'
import { load } from 'js-yaml'
import { blocks as compiled } from '../../reference-server/dist/test/readme-blocks.js'
import { readMarkdown } from '../markdown.mjs'
import { home, packages, readJson } from '../packages.mjs'
import { filesBelow, markdownOf } from '../tree.mjs'
import { judgeCommand } from './judge-command.mjs'
import { commandsOf } from './shell-lines.mjs'

const { parseConfigFileTextToJson } = createRequire(import.meta.url)('typescript-5.9')

/** Every block of every document, with its place. */
const blocks = markdownOf(home).flatMap((file) =>
  readMarkdown(readFileSync(join(home, file), 'utf8')).blocks.map((block) => ({ ...block, file })),
)

/** What proves a block of each language: nothing for one that holds, else what is wrong. */
const treatments = {
  ts: (block) =>
    isCompiled(block) || isQuoted(block) ? null : 'no test compiles it, and it is no quotation',
  js: ({ code }) => faultOf(() => transform(code, { loader: 'js', format: 'esm' })),
  json: ({ code }) => faultOf(() => JSON.parse(code)),
  jsonc: ({ code }) =>
    parseConfigFileTextToJson('block.jsonc', code).error?.messageText.toString() ?? null,
  yaml: async ({ code, file }) => {
    const fault = await faultOf(() => load(code))
    return fault ?? judgeShell(runsOf(load(code)), file)
  },
  sql: ({ code }) => faultOf(() => new Database(':memory:').exec(code)),
  // core/test/docs plays the only one against signed requests.
  python: ({ file }) => (file === 'core/docs/interface.md' ? null : 'no test plays it'),
  sh: ({ code, file }) => judgeShell(code, file),
  // What is drawn or printed, with nothing to run.
  text: () => null,
}

/** The commands of a workflow's steps. */
const runsOf = (steps) => steps.map(({ run }) => run).join('\n')

async function faultOf(act) {
  try {
    await act()
    return null
  } catch (error) {
    return error.message
  }
}

/** Compiled whole, by tests of their own. */
const whole = ['receiver-kit/README.md', 'core/docs/store.md']

/** The server's test of READMEs compiles all others. */
const isCompiled = ({ file, code }) =>
  whole.includes(file) || compiled.some((block) => block.code.trimEnd() === code)

/** Whether its lines stand so in a source of the document's package, indented or not. */
function isQuoted({ file, code }) {
  const flat = (text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
  const folder = packages.find((dir) => file.startsWith(`${dir}/`)) ?? '.ci'
  return filesBelow(join(home, folder))
    .filter((path) => path.endsWith('.ts'))
    .some((path) => flat(readFileSync(join(home, folder, path), 'utf8')).includes(flat(code)))
}

function judgeShell(code, file) {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' })
  if (status !== 0) return stderr
  const faults = commandsOf(code).flatMap((command) => judgeCommand(command, dirname(file)))
  return faults.length ? faults.join('; ') : null
}

test('every block of code in every document is compiled, parsed, or of commands that exist', async () => {
  assert.ok(blocks.length > 80, `${blocks.length} blocks`)
  const faults = []
  for (const block of blocks) {
    const treatment = treatments[block.language]
    const fault = treatment
      ? await treatment(block)
      : `no treatment of the language "${block.language}"`
    if (fault !== null) faults.push(`${block.file}:${block.line} ${fault}`)
  }
  assert.deepEqual(faults, [])
})

test('blocks that nothing proves are found', async () => {
  const fault = async (language, code, file = 'README.md') =>
    treatments[language]({ code, file, language, line: 1 })
  assert.equal(treatments[''], undefined)
  assert.match(await fault('ts', 'const made: up = 1'), /no test compiles it/)
  assert.match(await fault('js', 'const = 1'), /Expected identifier/)
  assert.match(await fault('json', '{"a": }'), /JSON/)
  assert.match(await fault('jsonc', '{"a": '), /expected/i)
  assert.match(await fault('yaml', 'a: [1'), /expected|flow/)
  assert.match(await fault('yaml', '- run: npm run nothing'), /no script nothing/)
  assert.match(await fault('sql', 'CREATE TABEL a (b text)'), /syntax error/)
  assert.match(await fault('python', 'pass'), /no test plays it/)
  assert.match(await fault('sh', 'echo "'), /unexpected EOF|unexpected end/)
})

test('a command that a document shows is one that is there', () => {
  const faults = (code) =>
    commandsOf(code).flatMap((command) => judgeCommand(command, 'conformance'))
  for (const right of [
    'npm ci && npm run check   # types',
    'npx countersign listen --forward http://localhost:3000/hook',
    'COUNTERSIGN_DRAIN_MS=1 npm start &',
    'python3 verifier --keys keys.json',
    `curl -X POST "$PORTAL/v1/staff/tenants/ten_1/suspend" -d '{"reason":"x"}'`,
  ])
    assert.deepEqual(faults(right), [], right)
  for (const [wrong, says] of [
    ['npm run nothing', 'no script nothing'],
    ['npm install @countersign/nothing', 'no package @countersign/nothing'],
    ['npx countersign nothing', 'countersign has no command nothing'],
    ['npx countersign listen --nothing', 'countersign listen has no option --nothing'],
    ['npx countersign-verify --nothing a', 'countersign-verify has no option --nothing'],
    ['npx unheard-of', 'nothing here is called unheard-of'],
    ['unheard-of', 'unheard-of is no command that readers have'],
    ['COUNTERSIGN_NOTHING=1 npm start', 'no setting COUNTERSIGN_NOTHING'],
    ['python3 nowhere', 'there is no nowhere'],
    ['curl -X PATCH $PORTAL/v1/webhooks', 'no operation PATCH /v1/webhooks'],
    [`curl $PORTAL/v1/webhooks -d '{a}'`, 'its data is no JSON'],
  ])
    assert.deepEqual(faults(wrong), [says])
})

test('what npx is told to run comes with a package', () => {
  const names = packages.flatMap((dir) =>
    Object.entries(readJson(join(home, dir, 'package.json')).bin ?? {}).map(([name, file]) => [
      name,
      join(home, dir, file),
    ]),
  )
  for (const [name, file] of names) assert.ok(existsSync(file), `${name}: ${file}`)
})
