// Which compiled test files a run is asked for.
import { relative } from 'node:path'
import { home } from './packages.mjs'

/** The path of a compiled test as its source, which is how the reporter prints it: `core/dist/test/x.test.js` is `core/test/x.test.ts`. */
export const sourceOf = (file) => file.replace('/dist/test/', '/test/').replace(/\.js$/, '.ts')

/**
 * Whether a compiled test file is meant by a text: part of its path, with or without the room's `test/`, or what the
 * reporter prints, a line (and column) behind it included. An absolute path and one that begins with `./` are relative to the repository.
 */
export function isMeant(file, text) {
  const path = text.replace(/(?<=\.m?[jt]s)(?::\d+){1,2}$/, '')
  const asked = path.startsWith(home) ? relative(home, path) : path.replace(/^\.\//, '')
  const source = sourceOf(file)
  return [file, source, source.replace('/test/', '/')].some((name) => name.includes(asked))
}

/**
 * Whether a slow test runs with none beside it: what bounds a process's memory, its loop's lag or its time would be
 * disturbed by a neighbour, packing changes the modules that all of them load, and what makes the machine busy disturbs
 * every neighbour.
 */
export const isAlone = (file) =>
  /^(reference-server\/dist\/test\/(attack\/(?!errors|lists|logs-and-keys)|bulk-export|handshake|packed)|conformance\/dist\/test\/receiver-load|\.ci)\b/.test(
    file,
  )
