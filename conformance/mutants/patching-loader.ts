import type { Patch } from './mutant.ts'

// Module hooks: they run on a thread of their own and see each module before it is compiled.

let patches: readonly Patch[] = []

export function initialize(given: readonly Patch[]): void {
  patches = given
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
  const loaded = await next(url, context)
  const wanted = patches.filter(({ file }) => url.endsWith(`/core/dist/${file}`))
  if (wanted.length === 0) return loaded
  let text =
    typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source).toString()
  for (const { file, find, put } of wanted) {
    const count = text.split(find).length - 1
    if (count !== 1)
      throw new Error(`${file}: expected ${JSON.stringify(find)} once, found it ${count} times`)
    text = text.replace(find, () => put)
  }
  return { ...loaded, source: text }
}
