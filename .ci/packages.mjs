import { readFileSync } from 'node:fs'

/** The workspaces, as the root package.json lists them. */
export const packages = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).workspaces
