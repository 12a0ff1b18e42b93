// The gates that other programs keep: the compiler, the type-aware linter, the formatter.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { home, readJson } from '../packages.mjs'

const require = createRequire(import.meta.url)

/** The script that a dependency installs under that name. */
function script(dependency, name) {
  const manifest = require.resolve(`${dependency}/package.json`)
  const { bin } = readJson(manifest)
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[name])
}

/** Runs a script in `cwd`; what it printed is the finding when it fails. */
function run(path, args, cwd, env = {}) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [path, ...args], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error) throw error
  // The linter colours what it prints under a CI runner, whatever NO_COLOR says.
  return status === 0 ? [] : [{ output: stripVTControlCharacters(`${stdout}${stderr}`).trim() }]
}

export const types = (root) =>
  run(join(home, '.ci/build.mjs'), ['--stale', '--quiet', '--root', root], root)

/** Types across packages come from the declarations that the build made. */
export const lint = (root) =>
  run(
    script('oxlint', 'oxlint'),
    ['--config', join(home, '.ci/oxlint.json'), '--format=default', '.'],
    root,
    { OXLINT_TSGOLINT_PATH: script('oxlint-tsgolint', 'tsgolint') },
  )

export const format = (root) =>
  run(
    script('@biomejs/biome', 'biome'),
    [
      'check',
      '--config-path',
      home,
      '--error-on-warnings',
      '--max-diagnostics=100',
      '--colors=off',
      '.',
    ],
    root,
  )
