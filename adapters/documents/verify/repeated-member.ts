import { jsonTokens } from './json-tokens.ts'

const mark = /[{}[\],:]/

/** How the objects and lists of a JSON text are made up. */
export interface Structure {
  /**
   * The first name that an object has twice, else null. A parser keeps the last of them, which is what a signature is
   * checked over, while a person may read the first.
   */
  readonly repeated: string | null
  /** How many stand within each other, up to that name. */
  readonly levels: number
}

/** The structure of a text, which must be JSON. */
export function structureOf(text: string): Structure {
  const open: (Set<string> | null)[] = []
  let name: string | null = null
  let expectsName = false
  let levels = 0
  for (const found of jsonTokens(text, mark)) {
    const names = open.at(-1) ?? null
    if (found === '{' || found === '[')
      levels = Math.max(levels, open.push(found === '{' ? new Set() : null))
    else if (found === '}' || found === ']') open.pop()
    if (found === '{' || (found === ',' && names !== null)) expectsName = true
    else if (expectsName && found.startsWith('"')) {
      name = JSON.parse(found) as string
      if (names?.has(name)) return { repeated: name, levels }
      names?.add(name)
      expectsName = false
    } else if (found !== ':') expectsName = false
  }
  return { repeated: null, levels }
}
