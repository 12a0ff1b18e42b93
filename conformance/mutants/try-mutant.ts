import { mutants } from './catalogue.ts'
import { wrapModules } from './wrap-modules.ts'

// A process of its own for each mutant: modules are wrapped before anything imports them.

export interface MutantVerdict {
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
const { parts, store, port, receiver, of = 'cases' } = mutant
if (parts) wrapModules(parts)
const { planOf, run } = await import('../simulator/index.js')

const options = {
  ...(store && { wrapStore: store }),
  ...(port && { wrapPort: port }),
  ...(receiver && { rules: receiver }),
}

async function judge(tried: NonNullable<typeof mutant>): Promise<MutantVerdict> {
  const { property } = tried
  const broken = new Set<string>()
  let detail = ''
  for (let seed = 1; seed <= Number(most); seed++) {
    const { violations } = await run(planOf({ of, kind: 'swarm', seed }), options)
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
