import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readReadme, root } from './readme-blocks.ts'

interface Manifest {
  readonly name: string
  readonly workspaces?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
  readonly private?: boolean
}

const manifestOf = (dir: string): Manifest =>
  JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'))
const packages = new Map((manifestOf('').workspaces ?? []).map((dir) => [dir, manifestOf(dir)]))
const published = [...packages].filter(([, manifest]) => !manifest.private)
const folders = new Map(published.map(([dir, { name }]) => [name, dir]))
const ours = (name: string) => name.startsWith('@countersign/')

/** The name of the package of a module, without a version: `zod` of `zod@4`, `@a/b` of `@a/b/c`. */
const packageOf = (module: string) => /^(?:@[^/]+\/)?[^/@]+/.exec(module)?.[0] ?? module

/** Packages as an install would need them, by folder: those that are named, and what they depend on. */
function closure(names: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>()
  const take = (name: string) => {
    const dir = folders.get(name) ?? name
    if (all.has(dir)) return
    all.add(dir)
    Object.keys(packages.get(dir)?.dependencies ?? {})
      .filter(ours)
      .forEach(take)
  }
  names.forEach(take)
  return all
}

/** What the chapter of users tells somebody who installs. */
function installOf(readme: string) {
  const [users = ''] = readme.split(/^##? For those who /m)
  const lines = [...users.matchAll(/\bnpm install ((?:(?! +#)[^`\n])+)/g)]
    .map(([, words = '']) => words.split(' ').filter((word) => !word.startsWith('-')))
    .filter(([first = '']) => first !== '' && first !== 'of')
  const named = lines.filter(([first = '']) => !first.endsWith('.tgz')).flat()
  const [fromFiles = []] = lines.filter(([first = '']) => first.endsWith('.tgz'))
  const [, packed = ''] = /`npm pack ([^`]*)`/.exec(users) ?? []
  const code = [...users.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => text).join('\n')
  const imported = [...code.matchAll(/^(?:import|\}) [^']*?(?:from )?'([^'.][^']*)'/gm)]
    .map(([, module = '']) => module)
    .filter((module) => !module.startsWith('node:') && !builtinModules.includes(module))
  return {
    named,
    others: named.filter((name) => !ours(name)),
    fromFiles: fromFiles.filter((name) => !name.endsWith('.tgz')),
    folders: [...packed.matchAll(/-w (\S+)/g)].map(([, dir = '']) => dir),
    imported: [...new Set(imported.map(packageOf))],
  }
}

/** What somebody would stumble over who does as the README says. */
function faultsOf(readme: string): readonly string[] {
  const install = installOf(readme)
  const names = new Set(install.named.map(packageOf))
  const needed = closure([...names].filter(ours))
  return [
    ...install.imported
      .filter((name) => !names.has(name))
      .map((name) => `imports ${name}, which no line installs`),
    ...[...needed]
      .filter((dir) => !install.folders.includes(dir))
      .map((dir) => `does not pack ${dir}`),
    ...install.folders.filter((dir) => !needed.has(dir)).map((dir) => `packs ${dir} for nothing`),
    // Where every line has packages of its own, each stays as it is but for the names of ours.
    ...(install.fromFiles.length > 0 && install.fromFiles.join() !== install.others.join()
      ? [
          `installs ${install.others.join(' ')}, but ${install.fromFiles.join(' ')} beside the files`,
        ]
      : []),
  ]
}

describe('the install lines of the READMEs', () => {
  for (const place of ['', ...folders.values()])
    it(`${place || 'root'}: bring what its examples import, also from source`, () => {
      assert.deepEqual(faultsOf(readReadme(place)), [])
    })

  it('are missed where one is wrong', () => {
    const right = readReadme('adapters/node')
    for (const [words, fault, found] of [
      [' @countersign/sqlite better', ' better', /imports @countersign\/sqlite/],
      ['-w core ', '', /does not pack core/],
      ['-w core ', '-w core -w conformance ', /packs conformance for nothing/],
      ['.tgz better-sqlite3@12', '.tgz pg@8', /installs better-sqlite3@12, but pg@8/],
    ] as const) {
      assert.ok(right.includes(words), words)
      assert.match(faultsOf(right.replace(words, fault)).join('\n'), found)
    }
  })
})
