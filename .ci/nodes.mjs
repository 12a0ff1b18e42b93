// The versions of Node that tests run on beside the machine's own. Each is a package of the npm registry; its tests run
// in a copy of the built tree whose driver of SQLite is one that this Node can load. The lock file is not touched.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { home } from './packages.mjs'

export const otherNodes = ['22.23.5', '24.22.3', '26.12.1']
/** Brings binaries of Node-API, which all of them load; that of the lock file is for Node 20. */
export const driverOfOthers = 'better-sqlite3@13.2.0'

/** What runs on each beside a start and the demo: the kit's tests, each suite on what passes it, the driver at work. */
export const smallerSet = [
  'receiver-kit/test/',
  'conformance/test/receiver-kit.test.ts',
  'conformance/test/server-command.test.ts',
  ...['anchor', 'blob', 'inbox', 'outcome', 'signing', 'store', 'time-stamp'].map(
    (suite) => `conformance/test/${suite}-suite.test.ts`,
  ),
  'adapters/sqlite/test/sqlite-inbox.test.ts',
]

/** The program of a version and its driver of SQLite, installed by the first who asks; or why they can't be had. */
export function installNode(version) {
  const folder = join(home, 'node_modules/.cache/nodes', version)
  const name = `node-${process.platform}-${process.arch}`
  const modules = join(folder, 'node_modules')
  const program = join(modules, name, 'bin/node')
  const driver = join(modules, 'better-sqlite3')
  const isThere = () => existsSync(driver) && versionOf(program) === `v${version}`
  if (isThere()) return { program, driver }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  const wanted = [`${name}@${version}`, driverOfOthers]
  const options = { cwd: folder, encoding: 'utf8', timeout: 120_000 }
  const { stderr, error } = spawnSync('npm', ['install', ...quietly, ...wanted], options)
  if (isThere()) return { program, driver }
  return { missing: `npm installed no ${name}@${version}: ${error?.code ?? stderr.trim()}` }
}

function versionOf(program) {
  if (!existsSync(program)) return null
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim()
}

/** Copies what is built into an empty folder outside of the repository; other packages are linked, all but the driver. */
export function copyTree(tree, driver) {
  // Quicker than `cpSync` by seconds.
  const copy = (into, paths) => {
    const from = paths.map((path) => join(home, path))
    const { status, stderr } = spawnSync('cp', ['-a', ...from, into], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`cp: ${stderr}`)
  }
  const modules = join(tree, 'node_modules')
  mkdirSync(modules)
  copy(
    tree,
    readdirSync(home).filter((entry) => !['.git', 'node_modules'].includes(entry)),
  )
  copy(modules, ['node_modules/@countersign'])
  const linked = readdirSync(join(home, 'node_modules')).filter(
    (entry) => !['.cache', '@countersign', 'better-sqlite3'].includes(entry),
  )
  for (const entry of linked) symlinkSync(join(home, 'node_modules', entry), join(modules, entry))
  symlinkSync(driver, join(modules, 'better-sqlite3'))
}
