import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Runtime {
  readonly name: string
  /** Where it is installed, or the reason why it is not. */
  readonly found: { readonly program: string } | { readonly missing: string }
  /** The arguments with which the program runs the tests in a folder that `writeBundle` made. */
  arguments(folder: string): readonly string[]
}

export const root: string = fileURLToPath(new URL('../../../../', import.meta.url))

export const runtimes: readonly Runtime[] = [
  {
    name: 'Node',
    found: { program: process.execPath },
    arguments: (folder) => [join(folder, 'host.mjs')],
  },
  {
    name: 'Bun',
    found: find('@oven', 'bun-', 'bin/bun'),
    arguments: (folder) => ['run', join(folder, 'host.mjs')],
  },
  {
    name: 'Deno',
    found: find('@deno', '', 'deno'),
    // No permission is given: what is portable needs neither files nor network nor environment.
    arguments: (folder) => ['run', '--no-prompt', '--no-config', join(folder, 'host.mjs')],
  },
  {
    name: 'workerd',
    found: find('@cloudflare', 'workerd-', 'bin/workerd'),
    arguments: (folder) => ['test', join(folder, 'worker.capnp')],
  },
]

/**
 * The program in the npm package of this platform. The package that a user names would link to it in an install
 * script, and those do not run here (`allowScripts`).
 */
function find(scope: string, prefix: string, path: string): Runtime['found'] {
  const folder = join(root, 'node_modules', scope)
  const program = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name, process.platform === 'win32' ? `${path}.exe` : path))
    .find((file) => spawnSync(file, ['--version']).status === 0)
  return program ? { program } : { missing: `npm installed none of ${scope} that runs here` }
}
