// Publishes the packages of the tag that is checked out: `node .ci/release.mjs`, or `--dry-run` for all but that. Refuses a
// tree with changes, a tag that is not the version of every package, and a `.ci/run` that fails.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packagesOf, readJson } from './packages.mjs'

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
const root = process.cwd()

/** Ends with the first reason against a release. */
function refuse(reason) {
  console.error(`not released: ${reason}`)
  process.exit(1)
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) refuse(`git ${args.join(' ')}: ${stderr.trim()}`)
  return stdout.trim()
}

/** Files that are not committed, also those that git was not told of. */
function refuseChanges(when) {
  const changes = git('status', '--porcelain')
  if (changes !== '') refuse(`the tree has changes ${when}:\n${changes}`)
}

/** Runs a command without what it could publish by. */
function runBare(command, args = []) {
  const { NODE_AUTH_TOKEN: _, ACTIONS_ID_TOKEN_REQUEST_TOKEN: __, ...env } = process.env
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status
}

/** Packages that are published, each after those that it depends on. */
function inOrder(all) {
  const ordered = []
  const take = (one) => {
    if (ordered.includes(one)) return
    for (const other of all) if (one.dependencies?.[other.name]) take(other)
    ordered.push(one)
  }
  all.forEach(take)
  return ordered
}

refuseChanges('before its tests')
const { version } = readJson(join(root, 'package.json'))
const tags = git('tag', '--points-at', 'HEAD').split('\n')
if (!tags.includes(`v${version}`))
  refuse(`expected the tag v${version} at HEAD, got ${tags.join(', ') || 'none'}`)
const workspaces = packagesOf(root).map((dir) => ({
  dir,
  ...readJson(join(root, dir, 'package.json')),
}))
const names = new Set(workspaces.map(({ name }) => name))
for (const one of workspaces) {
  if (one.version !== version) refuse(`${one.name} is ${one.version}, not ${version}`)
  for (const [name, wanted] of Object.entries({ ...one.dependencies, ...one.peerDependencies }))
    if (names.has(name) && wanted !== version)
      refuse(`${one.name} depends on ${name} ${wanted}, not ${version}`)
}

const status = runBare(join(root, '.ci/run'))
if (status !== 0) refuse(`.ci/run ended with ${status}`)
refuseChanges('after its tests')

for (const { dir, name } of inOrder(workspaces.filter((one) => !one.private))) {
  const publish = values['dry-run']
    ? ['pack', '--dry-run', '--silent', '-w', dir]
    : ['publish', '--provenance', '--access', 'public', '-w', dir]
  console.log(`${values['dry-run'] ? 'would publish' : 'publishes'} ${name} ${version}`)
  const ended = spawnSync('npm', publish, { cwd: root, stdio: 'inherit' })
  if (ended.status !== 0) refuse(`npm ${publish.join(' ')} ended with ${ended.status}`)
}
