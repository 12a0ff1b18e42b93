// Builds every package. `--stale` keeps what is up to date; `--quiet` prints only errors; `--root DIR` builds another tree.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeDocuments } from './documents.mjs'
import { home, packagesOf } from './packages.mjs'
import { makePage } from './page.mjs'
import { makePortal } from './portal.mjs'
import { bundlePrograms } from './programs.mjs'
import { filesBelow } from './tree.mjs'
import { makeVerifier } from './verifier.mjs'

const { values } = parseArgs({
  options: {
    stale: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    root: { type: 'string', default: home },
  },
})

for (const dir of packagesOf(values.root)) {
  const dist = join(values.root, dir, 'dist')
  if (values.stale) mend(join(values.root, dir), dist)
  else rmSync(dist, { recursive: true, force: true })
}
const tsc = spawnSync(
  process.execPath,
  [join(home, 'node_modules/typescript/bin/tsc'), '-b', values.root],
  {
    stdio: ['ignore', values.quiet ? 2 : 1, 2],
  },
)
if (tsc.status !== 0) process.exit(tsc.status ?? 1)
await bundlePrograms(values.root, { stale: values.stale })
await makeDocuments(values.root, { stale: values.stale })
await makePage(values.root)
await makeVerifier(values.root, { stale: values.stale })
await makePortal(values.root, { stale: values.stale })

/**
 * The compiler looks at its own notes, not at what lies in dist: the output of a source that is gone stays and
 * still runs, and an output that is gone is not made again. So the first is removed here, and for the second the notes.
 */
function mend(dir, dist) {
  if (!existsSync(dist)) return
  const outputs = new Set(readdirSync(dist, { recursive: true }))
  const sources = new Set(
    filesBelow(dir)
      .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
      .map((path) => path.replace(/\.tsx?$/, '')),
  )
  for (const declaration of outputs) {
    if (!declaration.endsWith('.d.ts')) continue
    const stem = declaration.slice(0, -'.d.ts'.length)
    if (sources.has(stem)) continue
    for (const end of ['.js', '.js.map', '.d.ts', '.d.ts.map'])
      rmSync(join(dist, stem + end), { force: true })
  }
  for (const stem of sources)
    if (!outputs.has(`${stem}.js`) || !outputs.has(`${stem}.d.ts`))
      rmSync(join(dist, projectOf(stem), '.tsbuildinfo'), { force: true })
}

/** The folder of a source's own project below its package, whose notes lie in that part of dist; '' for the package's. */
function projectOf(stem) {
  return ['test', 'app', 'browser', 'examples'].find((name) => stem.startsWith(`${name}/`)) ?? ''
}
