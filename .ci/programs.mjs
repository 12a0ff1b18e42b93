// Bundles the programs of the reference server: a start that finds, reads and compiles a few files instead of 800
// takes half the time. What it is bundled from is kept beside it with a digest, so that it is made anew when that changes.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFresh, noteInputs } from './bundle-notes.mjs'

const programs = {
  start: 'start.js',
  serve: 'serve.js',
  countersign: 'countersign.js',
  receiver: 'demo/receiver.js',
  // Looked for beside the file that starts them.
  'writer-worker': '../../adapters/sqlite/dist/writer-worker.js',
  'signing-worker': '../../adapters/node/dist/signing-worker.js',
  'transport-worker': '../../adapters/node/dist/egress/transport-worker.js',
  'pdf-worker': '../../adapters/documents/dist/pdf/pdf-worker.js',
}
/** Look for their own files when they are loaded. */
const natives = ['better-sqlite3', 'msgpackr-extract', 'pdfmake', 'fontkit']

/** The bundled programs below `root`, in `reference-server/dist/programs`; `stale`: only if what they are made of changed. */
export async function bundlePrograms(root, { stale }) {
  const from = join(root, 'reference-server/dist')
  const to = join(from, 'programs')
  const notes = join(to, '.inputs.json')
  if (!existsSync(join(from, programs.serve))) return
  if (stale && isFresh(root, notes)) return
  // Only here, for it takes longer than looking whether there is something to do.
  const { build } = await import('esbuild')
  rmSync(to, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(programs).map(([out, file]) => ({ in: join(from, file), out })),
    outdir: to,
    bundle: true,
    splitting: true,
    chunkNames: 'shared-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: natives,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'linked',
    // Libraries in CommonJS ask for Node's modules by `require`, which a module has not.
    banner: {
      js: "import * as nodeModule from 'node:module'\nconst require = nodeModule.createRequire(import.meta.url)",
    },
    metafile: true,
    logLevel: 'warning',
  })
  noteInputs(root, notes, { ...metafile, maker: fileURLToPath(import.meta.url) })
}
