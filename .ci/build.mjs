// Builds every package. `--stale` keeps what is up to date; `--quiet` prints only errors.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packages } from './packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stale = process.argv.includes('--stale')
// A deleted source leaves its stale .js behind, so a full build starts from nothing.
if (!stale)
  for (const dir of packages) rmSync(`${root}/${dir}/dist`, { recursive: true, force: true })
const tsc = spawnSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-b', root], {
  stdio: ['ignore', process.argv.includes('--quiet') ? 2 : 1, 2],
})
process.exit(tsc.status ?? 1)
