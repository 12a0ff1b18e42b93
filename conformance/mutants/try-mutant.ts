import { register } from 'node:module'
import { mutants } from './catalogue.ts'

// A process of its own for each mutant, for a module is patched before anything imports it.

export interface Verdict {
  readonly name: string
  readonly property: string
  readonly killed: boolean
  readonly seed: number | null
  /** Properties that broke on the way, the named one or others. */
  readonly broken: readonly string[]
  readonly detail: string
}

const [name = '', most = '300'] = process.argv.slice(2)
const mutant = mutants.find((one) => one.name === name)
if (!mutant) throw new Error(`no mutant is called ${JSON.stringify(name)}`)
const { patches = [], store, port, receiver } = mutant
if (patches.length > 0)
  register('./patching-loader.js', { parentURL: import.meta.url, data: patches })
const { drawPlan, run } = await import('../simulator/index.js')

const options = {
  ...(store && { wrapStore: store }),
  ...(port && { wrapPort: port }),
  ...(receiver && { rules: receiver }),
}

async function judge(tried: NonNullable<typeof mutant>): Promise<Verdict> {
  const { property } = tried
  const broken = new Set<string>()
  let detail = ''
  for (let seed = 1; seed <= Number(most); seed++) {
    const { violations } = await run(drawPlan(seed), options)
    for (const one of violations) {
      broken.add(one.property)
      detail = one.detail
      if (one.property === property)
        return { name, property, killed: true, seed, broken: [...broken], detail }
    }
  }
  return { name, property, killed: false, seed: null, broken: [...broken], detail }
}

process.stdout.write(`${JSON.stringify(await judge(mutant))}\n`)
