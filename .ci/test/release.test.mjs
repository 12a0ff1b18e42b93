import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { home } from '../packages.mjs'
import { plantFiles } from './plant.mjs'

const script = join(home, '.ci/release.mjs')
const manifest = (name, more = {}) =>
  JSON.stringify({ name, version: '1.2.3', files: ['a.js'], ...more })

/** A repository of two packages with a tag, of which the first needs the second; `ci` is what its tests do. */
function repository(t, { ci = 'exit 0', change = () => {}, tag = 'v1.2.3' } = {}) {
  const root = plantFiles(t, {
    'package.json': manifest('all', { private: true, workspaces: ['one', 'two', 'own'] }),
    'one/package.json': manifest('@a/one', { dependencies: { '@a/two': '1.2.3' } }),
    'one/a.js': '',
    'two/package.json': manifest('@a/two'),
    'two/a.js': '',
    'own/package.json': manifest('@a/own', { private: true }),
    '.ci/run': `#!/bin/sh\n${ci}\n`,
  })
  chmodSync(join(root, '.ci/run'), 0o755)
  change(root)
  const git = (...args) => {
    const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  git('init', '-q')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first')
  if (tag !== null) git('tag', tag)
  return root
}

/** What a dry run prints, with nothing in its environment to publish by but what is given. */
function release(root, env = {}) {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--dry-run'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...inherited, ...env },
  })
  return { status, out: stdout, err: stderr }
}

test('a release publishes each public package after those that it depends on', (t) => {
  const { status, out, err } = release(repository(t))
  assert.equal(status, 0, err)
  assert.deepEqual(out.match(/would publish .*/g), [
    'would publish @a/two 1.2.3',
    'would publish @a/one 1.2.3',
  ])
})

const rewrite = (file, was, now) => (root) => {
  const path = join(root, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(was, now))
}

for (const [what, given, reason] of [
  ['no tag', { tag: null }, /expected the tag v1\.2\.3 at HEAD, got none/],
  [
    'a tag of another version',
    { tag: 'v1.2.4' },
    /expected the tag v1\.2\.3 at HEAD, got v1\.2\.4/,
  ],
  ['a tag without the letter', { tag: '1.2.3' }, /expected the tag v1\.2\.3/],
  [
    'a package of another version',
    { change: rewrite('two/package.json', '1.2.3', '1.2.2') },
    /@a\/two is 1\.2\.2, not 1\.2\.3/,
  ],
  [
    'a dependency on another version',
    { change: rewrite('one/package.json', '"@a/two":"1.2.3"', '"@a/two":"^1.2.0"') },
    /@a\/one depends on @a\/two \^1\.2\.0/,
  ],
  ['a red run', { ci: 'exit 3' }, /\.ci\/run ended with 3/],
  [
    'a run that changes the tree',
    { ci: 'echo >> one/a.js' },
    /changes after its tests:\n *M one\/a\.js/,
  ],
])
  test(`nothing is released of ${what}`, (t) => {
    const { status, out, err } = release(repository(t, given))
    assert.equal(status, 1, out)
    assert.match(err, reason)
    assert.doesNotMatch(out, /publish/)
  })

for (const [what, file] of [
  ['a changed file', 'two/a.js'],
  ['a file that git was not told of', 'two/b.js'],
])
  test(`nothing is released of a tree with ${what}, and its tests don't run`, (t) => {
    const root = repository(t, { ci: 'echo ran' })
    writeFileSync(join(root, file), 'changed')
    const { status, out, err } = release(root)
    assert.equal(status, 1)
    assert.match(err, new RegExp(`changes before its tests:\n.*${file}`))
    assert.equal(out, '')
  })

test('the tests of a release have nothing to publish by', (t) => {
  const ci = 'test -z "$NODE_AUTH_TOKEN$ACTIONS_ID_TOKEN_REQUEST_TOKEN"'
  const secrets = { NODE_AUTH_TOKEN: 'x', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'y' }
  const { status, err } = release(repository(t, { ci }), secrets)
  assert.equal(status, 0, err)
})

test('the workflow runs on tags, by the script alone, with the rights that provenance needs', () => {
  const workflow = readFileSync(join(home, '.github/workflows/release.yml'), 'utf8')
  assert.match(workflow, /^on:\n {2}push:\n {4}tags: \['v\*'\]$/m)
  assert.match(workflow, /^permissions:\n {2}contents: read\n {2}id-token: write$/m)
  assert.deepEqual(workflow.match(/run: .*/g), ['run: node .ci/release.mjs'])
})
