// Where the other JavaScript runtimes are that tests run in.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { home } from './packages.mjs'

/** Scope, package and path of each program. */
const programs = {
  Bun: ['@oven', 'bun-', 'bin/bun'],
  Deno: ['@deno', '', 'deno'],
  workerd: ['@cloudflare', 'workerd-', 'bin/workerd'],
}

/**
 * The program in the npm package of this platform, or why there is none. The package that a user names would link to
 * it in an install script, and those do not run here (`allowScripts`).
 */
export function findRuntime(name) {
  const [scope, prefix, path] = programs[name]
  const folder = join(home, 'node_modules', scope)
  const program = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name, process.platform === 'win32' ? `${path}.exe` : path))
    .find((file) => spawnSync(file, ['--version']).status === 0)
  return program ? { program } : { missing: `npm installed none of ${scope} that runs here` }
}
