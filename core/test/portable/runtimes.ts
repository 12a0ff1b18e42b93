import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface Runtime {
  readonly name: string
  /** Where it is installed, or the reason why it is not. */
  readonly found: { readonly program: string } | { readonly missing: string }
  /** The arguments with which the program runs the tests in a folder that `writeBundle` made. */
  arguments(folder: string): readonly string[]
}

export const root: string = fileURLToPath(new URL('../../../../', import.meta.url))

const tools = await import(pathToFileURL(join(root, '.ci/runtimes.mjs')).href)
const find: (name: string) => Runtime['found'] = tools.findRuntime

export const runtimes: readonly Runtime[] = [
  {
    name: 'Node',
    found: { program: process.execPath },
    arguments: (folder) => [join(folder, 'host.mjs')],
  },
  {
    name: 'Bun',
    found: find('Bun'),
    arguments: (folder) => ['run', join(folder, 'host.mjs')],
  },
  {
    name: 'Deno',
    found: find('Deno'),
    // No permission is given: what is portable needs neither files nor network nor environment.
    arguments: (folder) => ['run', '--no-prompt', '--no-config', join(folder, 'host.mjs')],
  },
  {
    name: 'workerd',
    found: find('workerd'),
    arguments: (folder) => ['test', join(folder, 'worker.capnp')],
  },
]
