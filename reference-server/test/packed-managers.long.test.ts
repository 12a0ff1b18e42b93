import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { packedProject, run } from './packed-project.ts'
import { readReadme, root } from './readme-blocks.ts'

/** Each from the registry by its exact version, but npm, which is Node's; how it installs what package.json names. */
const managers = [
  { name: 'npm', from: null, args: ['install', '--no-audit', '--no-fund', '--ignore-scripts'] },
  {
    name: 'pnpm',
    from: 'pnpm@9.15.9',
    path: 'pnpm/bin/pnpm.cjs',
    args: ['install', '--ignore-scripts'],
  },
  {
    name: 'yarn',
    from: 'yarn@1.22.22',
    path: 'yarn/bin/yarn.js',
    args: ['install', '--ignore-scripts'],
  },
] as const

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** One a day; a proof takes them all. */
const drawn = managers.filter((_, at) => whole || at === Math.abs(Number(seed)) % managers.length)
const { isOutOfReach } = await import(pathToFileURL(join(root, '.ci/registry.mjs')).href)

const manifestOf = (dir: string) =>
  JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'))
const published = (manifestOf('').workspaces as readonly string[]).filter(
  (dir) => !manifestOf(dir).private,
)

/** What an application of Next has for a webhook: a module that answers a Web Request. */
const route = `
import { createReceiver, memoryInbox } from '@countersign/receiver-kit'
import { nextRoute } from '@countersign/receiver-kit/next'
import { createTestSigner } from '@countersign/receiver-kit/testing'

export const signer = createTestSigner()
export const handled = []
const receiver = createReceiver({
  keys: [signer.key],
  inbox: memoryInbox(),
  onEvent: ({ event }) => void handled.push(event.id),
})
const works = []
export const { POST } = nextRoute(receiver, { after: (work) => works.push(work) })
export const afterAnswer = () => Promise.all(works.map((work) => work()))
`
const main = (names: readonly string[]) => `
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { afterAnswer, handled, POST, signer } from './app/api/hook/route.mjs'

for (const name of ${JSON.stringify(names)}) await import(name)
const event = sampleReviewEvent({ type: 'review.case.decided', decision: 'approved' })
const { status } = await POST(signer.request(event))
await afterAnswer()
console.log(status, handled.join() === event.id)
`

/** Its program, installed once for all runs of this clone; or why it can't be had. */
function programOf({ from, path }: { readonly from: string; readonly path: string }) {
  const folder = join(root, 'node_modules/.cache/managers', from)
  const program = join(folder, 'node_modules', path)
  if (existsSync(program)) return { program }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', from]
  const options = { cwd: folder, encoding: 'utf8', timeout: 120_000 } as const
  const { stderr, error } = spawnSync('npm', args, options)
  const told = (error as NodeJS.ErrnoException | undefined)?.code
  return existsSync(program)
    ? { program }
    : { missing: `npm installed no ${from}: ${told ?? stderr.trim()}` }
}

describe('the install lines of the root README, from tarballs', () => {
  const { project, packAll, end } = packedProject()
  const [, dirs = ''] = /`npm pack ([^`]*) --pack-destination/.exec(readReadme('')) ?? []
  const packed = [...dirs.matchAll(/-w (\S+)/g)].map(([, dir = '']) => dir)
  let files: ReadonlyMap<string, string>

  before(() => {
    files = packAll(packed)
  })
  after(end)

  it('tarballs are as large as the table says, to a tenth', () => {
    const page = readFileSync(join(root, 'reference-server/PERFORMANCE.md'), 'utf8')
    const told = new Map(
      [...page.matchAll(/^\| `(@countersign\/[a-z-]+)` \| (\d+) \|$/gm)].map(
        ([, name = '', size]) => [name, Number(size)],
      ),
    )
    const all = packAll(published)
    assert.deepEqual([...told.keys()].toSorted(), [...all.keys()].toSorted())
    for (const [name, file] of all) {
      const kB = statSync(file).size / 1_000
      const off = Math.abs(kB - (told.get(name) ?? 0)) / kB
      assert.ok(off < 0.1, `${name} has ${kB} kB, the table says ${told.get(name)}`)
    }
  })

  for (const manager of drawn)
    it(`${manager.name} installs them, every package is found by its own, and a route handler receives`, (t) => {
      const found = manager.from === null ? null : programOf(manager)
      if (found?.missing !== undefined) {
        assert.ok(process.env.CI !== 'true' || isOutOfReach(found.missing), found.missing)
        return t.skip(found.missing)
      }
      const own = join(project, manager.name)
      mkdirSync(join(own, 'app/api/hook'), { recursive: true })
      const local = Object.fromEntries([...files].map(([name, file]) => [name, `file:${file}`]))
      const manifest = {
        private: true,
        type: 'module',
        dependencies: { ...local, 'better-sqlite3': '12.11.1' },
        // As the README says for those that look in the registry.
        resolutions: local,
        pnpm: { overrides: local },
      }
      writeFileSync(join(own, 'package.json'), JSON.stringify(manifest))
      writeFileSync(join(own, 'app/api/hook/route.mjs'), route)
      writeFileSync(join(own, 'main.mjs'), main([...files.keys()]))
      const [command, ...first] = found ? [process.execPath, found.program] : ['npm']
      const args = [...first, ...manager.args]
      const installed = spawnSync(command ?? '', args, { cwd: own, encoding: 'utf8' })
      const told = `${installed.stdout}${installed.stderr}`
      if (installed.status !== 0 && isOutOfReach(told))
        return t.skip('the registry could not be reached')
      assert.equal(installed.status, 0, told)
      assert.equal(run(process.execPath, ['main.mjs'], own), '204 true\n')
    })
})
