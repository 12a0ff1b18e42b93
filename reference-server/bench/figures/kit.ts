import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type Measure, rowOf } from '../figure.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

const worker = `import { createReceiver } from '@countersign/receiver-kit'
import { workersModule } from '@countersign/receiver-kit/workers'
export default workersModule((env) =>
  createReceiver({ keys: [env.KEY], inbox: env.INBOX, onEvent: () => {} }))`

async function bundleBytes(): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: worker, resolveDir: here },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    write: false,
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

/** The packages that installing the kit brings, itself not counted. */
function installed(name: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  const root = new URL('../../../../node_modules/', import.meta.url)
  const manifest = JSON.parse(readFileSync(new URL(`${name}/package.json`, root), 'utf8'))
  for (const each of Object.keys(manifest.dependencies ?? {}))
    if (!seen.has(each)) installed(each, seen.add(each))
  return seen
}

export const kit: Measure = {
  figures: ['kit.bytes', 'kit.packages'],
  run: async () => [
    rowOf(
      {
        figure: 'kit.bytes',
        target: { is: 'most', reach: 25 * 1_024, aim: 12 * 1_024 },
        how: 'receiver for a worker, bundled by esbuild, minified, gzip -9; portable primitives included',
      },
      [{ figure: await bundleBytes() }],
    ),
    rowOf(
      {
        figure: 'kit.packages',
        target: { is: 'most', reach: 3, aim: 3 },
        how: 'packages that installing the kit brings beside itself',
      },
      [{ figure: installed('@countersign/receiver-kit').size }],
    ),
  ],
}
