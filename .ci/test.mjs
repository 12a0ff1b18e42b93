// Runs every compiled test file: `npm test`, or `npm test -- core/outbox` for the files whose path has that text.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packages } from './packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
const files = packages
  .map((dir) => join(dir, 'dist', 'test'))
  .filter((dir) => existsSync(join(root, dir)))
  .flatMap((dir) =>
    readdirSync(join(root, dir), { recursive: true }).map((file) => join(dir, String(file))),
  )
  .filter((file) => file.endsWith('.test.js'))
  .filter(
    (file) =>
      wanted.length === 0 ||
      wanted.some((text) => file.replace('/dist/test', '').includes(text) || file.includes(text)),
  )
  .sort()
// Node's runner takes an empty list for "look around yourself" and can end green with no test run.
if (files.length === 0) {
  console.error(
    `no test file${wanted.length ? ` matches ${wanted.join(', ')}` : ''}: expected dist/test/**/*.test.js, run npm run build first`,
  )
  process.exit(1)
}
const run = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
