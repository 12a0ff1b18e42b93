import type { WrappedNames } from './wrap-modules.ts'

// Module hooks, which run on a thread of their own: a wrapped module is served as one that imports the original,
// exports all of it, and has what the wrappers make of it in the place of the named exports.

let wrapped: WrappedNames = {}

export function initialize(given: WrappedNames): void {
  wrapped = given
}

interface Loaded {
  readonly format: string
  readonly source: string | Uint8Array
  readonly shortCircuit?: boolean
}

export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<Loaded>,
): Promise<Loaded> {
  const path = Object.keys(wrapped).find((one) => url.endsWith(`/core/dist/${one}.js`))
  if (path === undefined) return next(url, context)
  const original = JSON.stringify(`${url}?original`)
  const names = wrapped[path] ?? []
  const source = [
    `import * as original from ${original}`,
    `export * from ${original}`,
    `const wrap = globalThis[Symbol.for('countersign.mutant')](${JSON.stringify(path)}, original)`,
    ...names.map((name) => `export const ${name} = wrap(${JSON.stringify(name)})`),
  ].join('\n')
  return { format: 'module', source, shortCircuit: true }
}
