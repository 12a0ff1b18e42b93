import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesOf, readJson } from './packages.mjs'
import { importsOf, readSource } from './read-source.mjs'

const generated = new Set(['dist', 'node_modules'])

/** Files below `dir`, as paths relative to it, without what is built or installed. */
export function filesBelow(dir) {
  const found = []
  const walk = (below) => {
    for (const entry of readdirSync(join(dir, below), { withFileTypes: true })) {
      const path = below ? `${below}/${entry.name}` : entry.name
      if (entry.isDirectory() && !generated.has(entry.name) && !entry.name.startsWith('.'))
        walk(path)
      else if (entry.isFile()) found.push(path)
    }
  }
  walk('')
  return found.sort()
}

/** The workspaces below `root`, each with its manifest and its source files. Sources are read when first asked for. */
export function readTree(root) {
  return packagesOf(root)
    .filter((dir) => existsSync(join(root, dir, 'package.json')))
    .map((dir) => ({
      dir,
      manifest: readJson(join(root, dir, 'package.json')),
      paths: filesBelow(join(root, dir)),
      files: filesBelow(join(root, dir))
        .filter((path) => /\.(ts|tsx|mts|js|mjs|sql)$/.test(path))
        .map((path) => sourceFile(root, dir, path)),
    }))
}

function sourceFile(root, dir, path) {
  let source
  let imports
  return {
    /** Relative to the root, as findings name it. */
    file: `${dir}/${path}`,
    /** Relative to the workspace. */
    path,
    isTest: path.startsWith('test/'),
    get source() {
      source ??= readSource(readFileSync(join(root, dir, path), 'utf8'))
      return source
    },
    get imports() {
      imports ??= importsOf(this.source)
      return imports
    },
  }
}

/** Every file of a repository, by its path from the root, without what is built or installed. */
export const filesOf = (root) =>
  [
    ...filesBelow(root),
    ...['.ci', '.github'].flatMap((dir) =>
      existsSync(join(root, dir))
        ? filesBelow(join(root, dir)).map((path) => `${dir}/${path}`)
        : [],
    ),
  ].sort()

/** The Markdown of a repository, by its paths from the root. */
export const markdownOf = (root) => filesOf(root).filter((path) => path.endsWith('.md'))
