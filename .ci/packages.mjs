import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const home = fileURLToPath(new URL('..', import.meta.url))

export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** The workspaces, as the package.json of that root lists them. */
export const packagesOf = (root) => readJson(join(root, 'package.json')).workspaces

export const packages = packagesOf(home)
