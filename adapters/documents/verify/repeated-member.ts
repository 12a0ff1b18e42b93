import { jsonTokens } from './json-tokens.ts'

const mark = /[{}[\],:]/

/**
 * The first name that an object of a JSON text has twice, else null. A parser keeps the last of them, which is what a
 * signature is checked over, while a person may read the first. The text must be JSON.
 */
export function repeatedMember(text: string): string | null {
  const open: (Set<string> | null)[] = []
  let name: string | null = null
  let expectsName = false
  for (const found of jsonTokens(text, mark)) {
    const names = open.at(-1) ?? null
    if (found === '{' || found === '[') open.push(found === '{' ? new Set() : null)
    else if (found === '}' || found === ']') open.pop()
    if (found === '{' || (found === ',' && names !== null)) expectsName = true
    else if (expectsName && found.startsWith('"')) {
      name = JSON.parse(found) as string
      if (names?.has(name)) return name
      names?.add(name)
      expectsName = false
    } else if (found !== ':') expectsName = false
  }
  return null
}
