import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { after, it } from 'node:test'
import { scratchDirectory } from './scratch.ts'
import { prepareStage } from './stage.ts'

const directory = scratchDirectory()
// Hooks run in the order of their definition: one that ends a server comes after the directory was made.
after(() => assert.ok(existsSync(directory), 'the directory went before the last hook'))

it('a scratch directory is gone when its process has ended', () => {
  const scratch = JSON.stringify(new URL('./scratch.js', import.meta.url))
  const script = `import { scratchDirectory } from ${scratch}; process.stdout.write(scratchDirectory())`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  assert.match(stdout, /countersign-processes-/)
  assert.ok(!existsSync(stdout), stdout)
})

it('a stage ends once its servers have ended', async () => {
  const stage = await prepareStage(directory)
  const server = await stage.start()
  await stage.end()
  assert.equal(server.process.signalCode, 'SIGKILL')
})
