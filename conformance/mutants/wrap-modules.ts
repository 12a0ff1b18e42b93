import { register } from 'node:module'
import type { Parts } from './modules.ts'

/** Names of wrapped exports by the path of their module, as the hooks on their thread need them. */
export type WrappedNames = Readonly<Record<string, readonly string[]>>

type Exports = Readonly<Record<string, unknown>>
type Wrapper = (original: Exports) => unknown

/** Has every later import of these modules answered by their wrapped form; whoever imported them before keeps the original. */
export function wrapModules(parts: Parts): void {
  const wrappers = parts as Readonly<Record<string, Readonly<Record<string, Wrapper>>>>
  const wrapperOf = (path: string, original: Exports) => (name: string) => {
    const wrapper = wrappers[path]?.[name]
    if (!wrapper || !(name in original))
      throw new Error(`core/${path}.ts exports no ${name}: a mutant expected to wrap it`)
    return wrapper(original)
  }
  Object.assign(globalThis, { [Symbol.for('countersign.mutant')]: wrapperOf })
  const names = Object.entries(wrappers).map(([path, made]) => [path, Object.keys(made)] as const)
  register('./wrapping-loader.js', {
    parentURL: import.meta.url,
    data: Object.fromEntries(names) satisfies WrappedNames,
  })
}
