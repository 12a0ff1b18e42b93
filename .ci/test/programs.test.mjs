import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { bundlePrograms } from '../programs.mjs'
import { plantFiles } from './plant.mjs'

const dist = 'reference-server/dist'

function plantPrograms(t) {
  const root = plantFiles(t, {
    [`${dist}/shared.js`]: "export const word = 'first'\n",
    [`${dist}/start.js`]: "import { word } from './shared.js'\nconsole.log('start', word)\n",
    [`${dist}/serve.js`]: "import { word } from './shared.js'\nconsole.log('serve', word)\n",
    [`${dist}/countersign.js`]: "console.log('command')\n",
    [`${dist}/demo/receiver.js`]: "console.log('receiver')\n",
    'adapters/sqlite/dist/writer-worker.js': "console.log('writer')\n",
    'adapters/node/dist/signing-worker.js': "console.log('signer')\n",
    'adapters/node/dist/egress/transport-worker.js': "console.log('sender')\n",
    'adapters/documents/dist/pdf/pdf-worker.js': "console.log('printer')\n",
  })
  const to = join(root, dist, 'programs')
  const text = () =>
    readdirSync(to)
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(to, name), 'utf8'))
      .join('')
  return { root, to, text }
}

test('programs are bundled again when something they are made of has changed, and only then', async (t) => {
  const { root, to, text } = plantPrograms(t)
  await bundlePrograms(root, { stale: true })
  assert.match(text(), /first/)
  const old = new Date(0)
  utimesSync(join(to, 'serve.js'), old, old)
  await bundlePrograms(root, { stale: true })
  assert.equal(statSync(join(to, 'serve.js')).mtimeMs, 0)

  writeFileSync(join(root, dist, 'shared.js'), "export const word = 'later'\n")
  await bundlePrograms(root, { stale: true })
  assert.match(text(), /later/)
  assert.doesNotMatch(text(), /first/)
  assert.ok(statSync(join(to, 'serve.js')).mtimeMs > 0)
})

test('a file of a bundle that is gone is made again', async (t) => {
  const { root, to } = plantPrograms(t)
  await bundlePrograms(root, { stale: true })
  rmSync(join(to, 'receiver.js'))
  await bundlePrograms(root, { stale: true })
  assert.ok(readdirSync(to).includes('receiver.js'))
})
