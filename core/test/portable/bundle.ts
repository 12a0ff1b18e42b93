import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from './runtimes.ts'

/** Every compiled `test/portable/*.portable.ts` of the workspaces; each exports `portableTests(test)`. */
export function portableModules(): readonly string[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return workspaces
    .map((workspace: string) => join(root, workspace, 'dist/test/portable'))
    .filter((folder: string) => existsSync(folder))
    .flatMap((folder: string) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.portable.js'))
        .map((file) => join(folder, file)),
    )
}

/**
 * Writes one bundle of the modules, `host.mjs` that runs it, and `worker.capnp` that runs it under workerd. The
 * neutral platform resolves no `node:` module: a portable file that imports one fails here.
 */
export async function writeBundle(
  folder: string,
  modules: readonly string[],
  seed: number | null,
): Promise<void> {
  const harness = fileURLToPath(new URL('./harness.js', import.meta.url))
  const lines = modules.map(
    (file, at) => `import { portableTests as tests${at} } from ${JSON.stringify(file)}`,
  )
  const list = modules.map((_file, at) => `tests${at}`).join(', ')
  await build({
    stdin: {
      contents: `import { runPortable } from ${JSON.stringify(harness)}
${lines.join('\n')}
export default { test: () => runPortable([${list}], ${seed}) }`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    outfile: join(folder, 'bundle.mjs'),
    logLevel: 'silent',
  })
  writeFileSync(join(folder, 'host.mjs'), `import tests from './bundle.mjs'\nawait tests.test()\n`)
  writeFileSync(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "tests", worker = (
  modules = [(name = "bundle.mjs", esModule = embed "bundle.mjs")],
  compatibilityDate = "2025-01-01",
))]);
`,
  )
}
